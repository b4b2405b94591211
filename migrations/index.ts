import { Merchants1700000000001 } from './0001-merchants.js';
import { ChargeOnce1700000000002 } from './0002-charge-once.js';
import { Subjects1700000000003 } from './0003-subjects.js';
import { Refunds1700000000004 } from './0004-refunds.js';
import { Payouts1700000000005 } from './0005-payouts.js';
import { IdempotentCalls1700000000006 } from './0006-idempotent-calls.js';
import { OrphansAndFences1700000000007 } from './0007-orphans-and-fences.js';
import { DuplicateGuard1700000000008 } from './0008-duplicate-guard.js';
import { Jobs1700000000009 } from './0009-jobs.js';
import { Events1700000000010 } from './0010-events.js';
import { WebhookInbox1700000000011 } from './0011-webhook-inbox.js';
import { WebhookEndpoints1700000000012 } from './0012-webhook-endpoints.js';
import { Notices1700000000013 } from './0013-notices.js';
import { SeveralOrphans1700000000014 } from './0014-several-orphans.js';
import { AskingAndResolving1700000000015 } from './0015-asking-and-resolving.js';
import { LivingProcesses1700000000016 } from './0016-living-processes.js';
import { OneAccount1700000000017 } from './0017-one-account.js';
import { Completions1700000000019 } from './0019-completions.js';
import { WhatComesBack1700000000020 } from './0020-what-comes-back.js';
import { WebhookScopes1700000000021 } from './0021-webhook-scopes.js';
import { DecidedByAPerson1700000000035 } from './0035-decided-by-a-person.js';
import { SealKey1700000000037 } from './0037-seal-key.js';
import { DueByAccount1700000000040 } from './0040-due-by-account.js';
import { FailoverHold1700000000044 } from './0044-failover-hold.js';
import { RoomForTheSecondVersion1700000000052 } from './0052-room-for-the-second-version.js';
import { Ledger1700000000060 } from './0060-ledger.js';
import { Reconciliation1700000000061 } from './0061-reconciliation.js';
import { Operators1700000000066 } from './0066-operators.js';
import { ApiKeyLifetime1700000000070 } from './0070-api-key-lifetime.js';
import { BankFiles1700000000074 } from './0074-bank-files.js';
import { ReturnedPayouts1700000000075 } from './0075-returned-payouts.js';
import { ReportFetches1700000000077 } from './0077-report-fetches.js';
import { OneTableOfBreaks1700000000078 } from './0078-one-table-of-breaks.js';
import { Tenants1700000000080 } from './0080-tenants.js';
import { PspBreakers1700000000085 } from './0085-psp-breakers.js';
import { Activity1700000000086 } from './0086-activity.js';
import { ListsOfTheConsole1700000000087 } from './0087-lists-of-the-console.js';
import { Limits1700000000088 } from './0088-limits.js';
import { OperationTraces1700000000089 } from './0089-operation-traces.js';
import { AuditChain1700000000091 } from './0091-audit-chain.js';
import { OperatorActs1700000000092 } from './0092-operator-acts.js';
import { SingleSignOn1700000000093 } from './0093-single-sign-on.js';
import { PayoutLimits1700000000100 } from './0100-payout-limits.js';
import { TestMode1700000000104 } from './0104-test-mode.js';
import { UnsentBankFiles1700000000120 } from './0120-unsent-bank-files.js';
import { LedgerCorrections1700000000121 } from './0121-ledger-corrections.js';
import { PspAccounts1700000000140 } from './0140-psp-accounts.js';
import { CustomersOfPayments1700000000150 } from './0150-customers-of-payments.js';
import { Recipients1700000000160 } from './0160-recipients.js';
import { OrphanPolicies1700000000161 } from './0161-orphan-policies.js';
import { RequestRates1700000000162 } from './0162-request-rates.js';
import { WallAroundTheAudit1700000000163 } from './0163-wall-around-the-audit.js';
import { PspReturns1700000000171 } from './0171-psp-returns.js';
import { CapturesReversed1700000000172 } from './0172-captures-reversed.js';
import { ServersOfBankFiles1700000000173 } from './0173-servers-of-bank-files.js';
import { TestObjects1700000000174 } from './0174-test-objects.js';
import { SchemaOfQueues1700000000176 } from './0176-schema-of-queues.js';
import { KeptHistory1700000000177 } from './0177-kept-history.js';
import { TriesToSignIn1700000000178 } from './0178-tries-to-sign-in.js';
import { BoundApiKeys1700000000179 } from './0179-bound-api-keys.js';
import { SettingsForTwo1700000000180 } from './0180-settings-for-two.js';
import { WallsAroundTheInstallation1700000000181 } from './0181-walls-around-the-installation.js';
import { PostingsInOneRow1700000000184 } from './0184-postings-in-one-row.js';
import { Orders1700000000185 } from './0185-orders.js';
import { OrdersOfMerchants1700000000186 } from './0186-orders-of-merchants.js';
import { PossibleDuplicates1700000000187 } from './0187-possible-duplicates.js';
import { DisputedPayments1700000000188 } from './0188-disputed-payments.js';
import { PaymentsByAmountAndMetadata1700000000189 } from './0189-payments-by-amount-and-metadata.js';
import { CustomersKept1700000000190 } from './0190-customers-kept.js';
import { AlertsTold1700000000191 } from './0191-alerts-told.js';
import { FinanceRole1700000000192 } from './0192-finance-role.js';
import { PaymentMethods1700000000198 } from './0198-payment-methods.js';
import { Hints1700000000199 } from './0199-hints.js';
import { IndexesBesideWork1700000000201 } from './0201-indexes-beside-work.js';

/** Every migration, oldest first. A class that was released is never edited again. */
export const migrations = [
  Merchants1700000000001,
  ChargeOnce1700000000002,
  Subjects1700000000003,
  Refunds1700000000004,
  Payouts1700000000005,
  IdempotentCalls1700000000006,
  OrphansAndFences1700000000007,
  DuplicateGuard1700000000008,
  Jobs1700000000009,
  Events1700000000010,
  WebhookInbox1700000000011,
  WebhookEndpoints1700000000012,
  Notices1700000000013,
  SeveralOrphans1700000000014,
  AskingAndResolving1700000000015,
  LivingProcesses1700000000016,
  OneAccount1700000000017,
  Completions1700000000019,
  WhatComesBack1700000000020,
  WebhookScopes1700000000021,
  DecidedByAPerson1700000000035,
  SealKey1700000000037,
  DueByAccount1700000000040,
  FailoverHold1700000000044,
  RoomForTheSecondVersion1700000000052,
  Ledger1700000000060,
  Reconciliation1700000000061,
  Operators1700000000066,
  ApiKeyLifetime1700000000070,
  BankFiles1700000000074,
  ReturnedPayouts1700000000075,
  ReportFetches1700000000077,
  OneTableOfBreaks1700000000078,
  Tenants1700000000080,
  PspBreakers1700000000085,
  Activity1700000000086,
  ListsOfTheConsole1700000000087,
  Limits1700000000088,
  OperationTraces1700000000089,
  AuditChain1700000000091,
  OperatorActs1700000000092,
  SingleSignOn1700000000093,
  PayoutLimits1700000000100,
  TestMode1700000000104,
  UnsentBankFiles1700000000120,
  LedgerCorrections1700000000121,
  PspAccounts1700000000140,
  CustomersOfPayments1700000000150,
  Recipients1700000000160,
  OrphanPolicies1700000000161,
  RequestRates1700000000162,
  WallAroundTheAudit1700000000163,
  PspReturns1700000000171,
  CapturesReversed1700000000172,
  ServersOfBankFiles1700000000173,
  TestObjects1700000000174,
  SchemaOfQueues1700000000176,
  KeptHistory1700000000177,
  TriesToSignIn1700000000178,
  BoundApiKeys1700000000179,
  SettingsForTwo1700000000180,
  WallsAroundTheInstallation1700000000181,
  PostingsInOneRow1700000000184,
  Orders1700000000185,
  OrdersOfMerchants1700000000186,
  PossibleDuplicates1700000000187,
  DisputedPayments1700000000188,
  PaymentsByAmountAndMetadata1700000000189,
  CustomersKept1700000000190,
  AlertsTold1700000000191,
  FinanceRole1700000000192,
  PaymentMethods1700000000198,
  Hints1700000000199,
  IndexesBesideWork1700000000201,
];
