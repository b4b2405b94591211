import { type MonitoringDependencies } from './http/dependencies.js';
import { noAccounts, unknownAccount } from './http/notification-accounts.js';
import { type Authenticator } from './merchants/caller.js';
import { type DeadLetterDesk } from './ops/dead-letters.controller.js';
import { type Payments } from './payments/payments.js';
import { type Payouts } from './payouts/payouts.js';
import { type Notifications } from './webhooks/incoming/notifications.js';
import { type Events, type WebhookEndpoints } from './webhooks/outgoing/webhooks.js';

/** What is under /ops/api, for operators. */
export interface OperatorDependencies {
  /** What they carry as a bearer token; at least 32 characters. Never logged. */
  readonly token: string;
  readonly deadLetters: DeadLetterDesk;
}

/** All that the REST surface needs from the other modules. */
export interface ApiDependencies extends MonitoringDependencies {
  readonly payments: Payments;
  readonly payouts: Payouts;
  readonly webhookEndpoints: WebhookEndpoints;
  readonly events: Events;
  /** Without it no account takes notifications. */
  readonly notifications?: Notifications;
  readonly authenticator: Authenticator;
  /** Null: nothing is served under /ops/api. */
  readonly operators: OperatorDependencies | null;
}

/** Where notifications are not taken. */
export const noNotifications: Notifications = {
  ...noAccounts,
  receive: () => Promise.reject(unknownAccount()),
};
