import { AlertTold } from './alerts/alert-told.entity.js';
import { AuditRecord } from './database/audit.entity.js';
import { type EntityClass } from './database/database.js';
import { EventRecord } from './database/event.entity.js';
import { FailoverHold } from './database/failover-hold.entity.js';
import { SealKey } from './database/seal-key.entity.js';
import { IdempotencyKey } from './idempotency/idempotency-key.entity.js';
import { DeadLetter } from './jobs/dead-letter.entity.js';
import { Schedule } from './jobs/schedule.entity.js';
import { StagedJob } from './jobs/staged-job.entity.js';
import { ApiKey } from './merchants/api-key.entity.js';
import { Merchant } from './merchants/merchant.entity.js';
import { DuplicateGuard } from './payments/duplicate-guard.entity.js';
import { Order } from './payments/order.entity.js';
import { Approval } from './approvals/approval.entity.js';
import { EvidenceFile } from './approvals/evidence-file.entity.js';
import { OperationSnooze } from './approvals/operation-snooze.entity.js';
import { Operator, OperatorSession, SignInLink } from './operators/operator.entity.js';
import { Payment, PaymentTransition } from './payments/payment.entity.js';
import { Payout, PayoutTransition } from './payouts/payout.entity.js';
import { Recipient } from './payouts/recipient.entity.js';
import { MerchantRouting, StoredPspAccount } from './psp-accounts/psp-account.entity.js';
import { Refund } from './refunds/refund.entity.js';
import { NonExecutionProof, OrphanEffect, PspAttempt, Route } from './request-storage/route.entity.js';
import { InboxEntry } from './notifications/inbox-entry.entity.js';
import { WebhookDelivery, WebhookDeliveryAttempt } from './events/webhook-delivery.entity.js';
import { WebhookEndpoint } from './events/webhook-endpoint.entity.js';

/** All tables, for what opens the database without the modules that name them. */
export const entities: readonly EntityClass[] = [
  AlertTold,
  ApiKey,
  Approval,
  AuditRecord,
  DeadLetter,
  DuplicateGuard,
  Order,
  EventRecord,
  EvidenceFile,
  IdempotencyKey,
  InboxEntry,
  Merchant,
  NonExecutionProof,
  OperationSnooze,
  Operator,
  OperatorSession,
  OrphanEffect,
  Payment,
  PaymentTransition,
  Payout,
  PayoutTransition,
  PspAttempt,
  Route,
  Recipient,
  Refund,
  MerchantRouting,
  Schedule,
  FailoverHold,
  SealKey,
  SignInLink,
  StagedJob,
  StoredPspAccount,
  WebhookDelivery,
  WebhookDeliveryAttempt,
  WebhookEndpoint,
];
