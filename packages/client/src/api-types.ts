/**
 * Written from the OpenAPI document of the service by `npm run client:types`; do not edit.
 */
export interface paths {
  readonly '/health/live': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Liveness probe
     * @description Answers as long as the process runs. The database is not checked, because a restart would not repair it.
     */
    readonly get: operations['live'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/health/ready': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Readiness probe
     * @description Not ready while the process is stopping, while the database cannot be reached, and while the clock of the machine differs from the clock of the database by more than 2 s. `warnings` is there while a person is needed though the process works: `commits_may_be_lost` while payments and payouts that several PSPs could take are refused.
     */
    readonly get: operations['ready'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/metrics': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Metrics
     * @description In the text format of Prometheus. Served on PAYONCE_MONITORING_PORT where that is set.
     */
    readonly get: operations['metrics'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/dead-letters': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List dead letters
     * @description Newest first. Go on with `next_cursor` while `has_more` is true.
     *
     *     For operators: with the token of `PAYONCE_OPS_TOKEN`. Where none is set, there is nothing at this path. An API key of a merchant opens nothing here.
     */
    readonly get: operations['listDeadLetters'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/dead-letters/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a dead letter
     * @description For operators: with the token of `PAYONCE_OPS_TOKEN`. Where none is set, there is nothing at this path. An API key of a merchant opens nothing here.
     */
    readonly get: operations['getDeadLetter'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/dead-letters/counts': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Count dead letters
     * @description By kind and cause, the largest group first, with the age of its oldest.
     *
     *     For operators: with the token of `PAYONCE_OPS_TOKEN`. Where none is set, there is nothing at this path. An API key of a merchant opens nothing here.
     */
    readonly get: operations['countDeadLetters'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/dead-letters/merge': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Requeue dead letters
     * @description Their jobs are tried again from the first retry tier, with their history; the oldest letters first, at most 10,000 in one request. Each letter is merged once, by one operator, and audited; 404 where ids are named and none of them is there any more.
     *
     *     For operators: with the token of `PAYONCE_OPS_TOKEN`. Where none is set, there is nothing at this path. An API key of a merchant opens nothing here.
     */
    readonly post: operations['mergeDeadLetters'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/dead-letters/purge': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Purge dead letters
     * @description Deletes them for good. Selected as for merging.
     *
     *     For operators: with the token of `PAYONCE_OPS_TOKEN`. Where none is set, there is nothing at this path. An API key of a merchant opens nothing here.
     */
    readonly post: operations['purgeDeadLetters'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/ledger/balances': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read the balances
     * @description What each PSP account took, refunded and cost in these days by currency, what it holds at their end, and the trial balance, of one PSP, currency or merchant or of all. Posted within seconds of what happened.
     */
    readonly get: operations['getLedgerBalances'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/ledger/statement': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List entries
     * @description The entries of these days, the oldest first, of one account, PSP, currency or merchant or of all. `npx payonce ledger export` writes them as CSV.
     */
    readonly get: operations['listLedgerEntries'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/reconciliation/breaks': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List open differences
     * @description Of all reports, the oldest first, at most `limit`.
     */
    readonly get: operations['listReconciliationBreaks'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/reconciliation/breaks/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a difference
     * @description Of a report or a notification, with its owner and what people noted about it.
     */
    readonly get: operations['getReconciliationBreak'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/reconciliation/runs': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List imported reports
     * @description Newest first, at most `limit`.
     */
    readonly get: operations['listReconciliationRuns'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/reconciliation/runs/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read what a report came to
     * @description Matched lines, totals of each currency that add up, and differences by category.
     */
    readonly get: operations['getReconciliationRun'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/ops/api/reconciliation/runs/{id}/breaks': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the differences of a report
     * @description In the order of its lines, closed ones too, at most `limit`.
     */
    readonly get: operations['listReconciliationRunBreaks'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/disputes': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List disputes
     * @description Of all payments, the newest first. Go on with `next_cursor` while `has_more` is true.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['listDisputes'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/events': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List events
     * @description Newest first, whether there are endpoints or not. Go on with `next_cursor` while `has_more` is true. The order is that in which events became visible: one that is written late never appears behind one that was listed before, so a client that polls reads until the first event that it knows and misses none. To keep that order, an event is listed only when every write that began before its own has ended, usually within milliseconds.
     *
     *     Scope: `events:read`.
     */
    readonly get: operations['listEvents'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/events/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read an event
     * @description As it is sent.
     *
     *     Scope: `events:read`.
     */
    readonly get: operations['getEvent'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/events/{id}/deliveries': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List deliveries
     * @description To each endpoint, with its tries.
     *
     *     Scope: `events:read`.
     */
    readonly get: operations['listEventDeliveries'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/events/{id}/replay': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Replay an event
     * @description Sends it to one endpoint, or to all that want its type, delivered before or not. Deliveries that are running now are left alone.
     *
     *     Scope: `webhooks:write`.
     */
    readonly post: operations['replayEvent'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/orders': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List orders
     * @description Newest first. Go on with `next_cursor` while `has_more` is true.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['listOrders'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/orders/{reference}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read an order
     * @description As it is now, with its payments. An order is made by its first payment (`order` of POST /v1/payments).
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['getOrder'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payments': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List payments
     * @description Newest first. Go on with `next_cursor` while `has_more` is true.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['listPayments'];
    readonly put?: never;
    /**
     * Create a payment
     * @description Charges, or with `capture: manual` authorizes. Whatever fails on the way, the customer is charged at most once: send the request again with the same Idempotency-Key until it answers 201. Where the merchant has a duplicate window, a second payment of the same customer (or of a guest: give each order of a guest a reference of its own), amount, currency and reference within it, under another key, is answered 409 `probable_duplicate`; `payment_id` names the first one, and nothing is stored. One that has `failed` or is `canceled` does not count. To take the second one all the same, send it with `allow_duplicate: true`; beside one that is `processing` or `requires_action` none is taken, and beside one of a named customer that is `processing` none after the window either.
     *
     *     Scope: `payments:write`.
     */
    readonly post: operations['createPayment'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payments/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a payment
     * @description As it is now.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['getPayment'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payments/{id}/attempts': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List attempts
     * @description Every call to a PSP for this payment, by route, with its outcome.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['listAttempts'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payments/{id}/cancel': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Cancel an authorized payment
     * @description Voids the authorization, or what is left of it after captures, so that the customer can use the money again at once.
     *
     *     Scope: `payments:write`.
     */
    readonly post: operations['cancelPayment'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payments/{id}/capture': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Capture an authorized payment
     * @description All of it, or with `amount` a part. With `reference` it is one of several captures, each done once. `final` says whether the rest is released.
     *
     *     Scope: `payments:write`.
     */
    readonly post: operations['capturePayment'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payments/{id}/captures': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List captures
     * @description Every capture of this payment, the newest first. A payment that charges at once has none.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['listCaptures'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payments/{id}/complete': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Complete a payment after its customer acted
     * @description For a payment with status `requires_action`, once the customer has come back: sends the details to its PSP, or reads the outcome there where the PSP knows it. At Adyen the issuer decides only after this call. A payment whose outcome is known is answered as it is. Another action may follow (a challenge after a fingerprint): complete it with its own details under a new Idempotency-Key.
     *
     *     Scope: `payments:write`.
     */
    readonly post: operations['completePayment'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payments/{id}/refunds': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List the refunds of a payment
     * @description Newest first. Go on with `next_cursor` while `has_more` is true.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['listRefunds'];
    readonly put?: never;
    /**
     * Refund a payment
     * @description Gives back what was captured, at the PSP that took it. Without `reference` there is one refund of a payment: a second request for it, under any Idempotency-Key, is answered with the first (200, same id, `existing: true`), or 409 `refund_exists` where the amount differs. With `reference` there can be several, each made once. The reference of a refund that failed after the PSP had made it cannot be used again: 409 `refund_reversed`. All refunds together, those under way included, never exceed what was captured.
     *
     *     Scope: `payments:write`.
     */
    readonly post: operations['refundPayment'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payouts': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List payouts
     * @description Newest first. Go on with `next_cursor` while `has_more` is true.
     *
     *     Scope: `payments:read` or `payouts:write`.
     */
    readonly get: operations['listPayouts'];
    readonly put?: never;
    /**
     * Send a payout
     * @description Sends money out, at most once whatever fails. The payouts to a recipient follow one another: name the last one that ended as `previous`, or null for the first. While one has not ended the next is answered 409 `payout_in_progress`; where another one has ended since, 409 `payout_sequence_stale`. Nothing is stored then, and `payout_id` names the last payout. Read it, and follow `previous` back to the payout that you named: one of them may be the payout that you want to send. What is more than you may pay out in a day is answered 409 `payout_limit_exceeded`, and `limit` says which limit it is. Where you pay out to registered recipients alone, another recipient or other tokens are answered 409 `recipient_not_registered`, and one that nobody has approved yet 409 `recipient_not_approved`. So a payout that is requested twice, under whatever keys, is made once.
     *
     *     Scope: `payouts:write`.
     */
    readonly post: operations['createPayout'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/payouts/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a payout
     * @description As it is now.
     *
     *     Scope: `payments:read` or `payouts:write`.
     */
    readonly get: operations['getPayout'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/recipients': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List recipients
     * @description Newest first, removed ones too. Go on with `next_cursor` while `has_more` is true.
     *
     *     Scope: `recipients:write`.
     */
    readonly get: operations['listRecipients'];
    readonly put?: never;
    /**
     * Register a recipient
     * @description Where the operator lets you pay out to registered recipients alone, payouts go to no others. The same request again changes nothing; other tokens under the same `reference` are a new version, which an operator may have to approve before it is paid. Use an API key of its own for this scope: then one that was stolen from the system that sends payouts opens no new way out.
     *
     *     Scope: `recipients:write`.
     */
    readonly post: operations['registerRecipient'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/recipients/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a recipient
     * @description As it is now.
     *
     *     Scope: `recipients:write`.
     */
    readonly get: operations['getRecipient'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/recipients/{id}/remove': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Remove a recipient
     * @description It is not paid any more, until it is registered again. Payouts on their way go on.
     *
     *     Scope: `recipients:write`.
     */
    readonly post: operations['removeRecipient'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/refunds': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List refunds
     * @description Of all payments, newest first. Go on with `next_cursor` while `has_more` is true.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['listAllRefunds'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/refunds/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a refund
     * @description As it is now.
     *
     *     Scope: `payments:read`.
     */
    readonly get: operations['getRefund'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook_endpoints': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * List webhook endpoints
     * @description Newest first, disabled ones too. Go on with `next_cursor` while `has_more` is true.
     *
     *     Scope: `webhooks:read`.
     */
    readonly get: operations['listWebhookEndpoints'];
    readonly put?: never;
    /**
     * Create a webhook endpoint
     * @description A merchant has at most 16 enabled endpoints. The secret is in this answer only; signatures are those of the Standard Webhooks specification. Takes no Idempotency-Key: sent twice, the request creates two endpoints, of which you can disable one.
     *
     *     Scope: `webhooks:write`.
     */
    readonly post: operations['createWebhookEndpoint'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook_endpoints/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /**
     * Read a webhook endpoint
     * @description Without its secret.
     *
     *     Scope: `webhooks:read`.
     */
    readonly get: operations['getWebhookEndpoint'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook_endpoints/{id}/disable': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Disable a webhook endpoint
     * @description No event is sent there any more. Waiting deliveries are canceled; they can be replayed.
     *
     *     Scope: `webhooks:write`.
     */
    readonly post: operations['disableWebhookEndpoint'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook_endpoints/{id}/enable': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Enable a webhook endpoint
     * @description New events are sent there; those since it was disabled can be replayed.
     *
     *     Scope: `webhooks:write`.
     */
    readonly post: operations['enableWebhookEndpoint'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook_endpoints/{id}/ping': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Send a test event
     * @description Sends an event of the type `ping` to this endpoint alone; its deliveries show the result.
     *
     *     Scope: `webhooks:write`.
     */
    readonly post: operations['pingWebhookEndpoint'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook_endpoints/{id}/replay': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Replay events
     * @description Sends the events of a period again, of the types that the endpoint wants, delivered before or not, with the same ids. At most 10,000 at once.
     *
     *     Scope: `webhooks:write`.
     */
    readonly post: operations['replayWebhookRange'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhook_endpoints/{id}/rotate_secret': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Rotate the secret
     * @description For 24 hours events are signed with both secrets, so that either verifies them; then with the new one alone. After a second rotation within that time only the last two secrets count.
     *
     *     Scope: `webhooks:write`.
     */
    readonly post: operations['rotateWebhookSecret'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/v1/webhooks/{psp}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /**
     * Receive a notification of a PSP
     * @description For PSPs alone: give them this address, with the name of the account in the PSPs file. It takes no API key; the signature over the body authenticates each notification. A notification is stored, answered at once and applied afterwards, once, however often the PSP sends it. Items of a batch that cannot be accepted are counted and the others stored; a batch without one acceptable item is refused. After any status but 200 the PSP sends it again.
     */
    readonly post: operations['receiveNotification'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** @description The notification is stored, and applied afterwards. */
    readonly Accepted: {
      /** @description How many items are stored, by this request or an earlier one. */
      readonly accepted: number;
      /** @constant */
      readonly notificationResponse: '[accepted]';
    };
    /** @description One call to a PSP. */
    readonly Attempt: {
      readonly attempt: number;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly ended_at: string | null;
      readonly entity_key: string;
      readonly http_status: number | null;
      /** @description The kind of call: execute, lookup, cancel or complete (after the customer acted); or notice, a notification that the PSP sent; or statement, what a person found out at the PSP. */
      readonly kind: string;
      readonly latency_ms: number | null;
      /** @description Null while the call is running, or where the process died before its answer came. */
      readonly outcome: string | null;
      readonly psp: string;
      readonly psp_code: string | null;
      readonly route: number;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly started_at: string;
      readonly verdict: string;
    };
    readonly AttemptPage: {
      readonly data: readonly components['schemas']['Attempt'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    readonly BankDebit: {
      /** @description Required where the PSP keeps no mandates itself, as a bank that takes files. Stripe makes its mandate of it; left out, the token has one there. */
      readonly mandate?: components['schemas']['Mandate'];
      /** @enum {string} */
      readonly name: 'sepa' | 'bacs' | 'ach';
    };
    readonly BankDebitMethod: {
      readonly bank_debit: components['schemas']['BankDebit'];
      /** @description A PSP account's name and that PSP's own customer, to whom the token belongs: `cus_…` at Stripe, which refuses an attached payment method without it; the shopperReference at Adyen, without which a payment that may go there is refused (`customer.reference` is sent where none is given here; three characters or more). */
      readonly customers?: {
        readonly [key: string]: string;
      };
      /**
       * @description `merchant`: charged on an agreement while the customer is away. The customer is not asked to authenticate; PSPs claim the exemption for payments by the merchant.
       * @default customer
       * @enum {string}
       */
      readonly initiator?: 'customer' | 'merchant';
      /** @description A PSP account's name and the token that this PSP made for it. Only PSPs with a token are candidates, and the name of no account is refused. */
      readonly tokens: {
        readonly [key: string]: string;
      };
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'bank_debit';
    };
    readonly BankRedirect: {
      /** @enum {string} */
      readonly name: 'ideal' | 'bancontact';
    };
    readonly BankRedirectMethod: {
      readonly bank_redirect: components['schemas']['BankRedirect'];
      /** @description A PSP account's name and the token that this PSP made for it. Only PSPs with a token are candidates, and the name of no account is refused. Left out: every account that takes it without a token is one. */
      readonly tokens?: {
        readonly [key: string]: string;
      };
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'bank_redirect';
    };
    /** @description An empty object, or no body at all. */
    readonly CancelRequest: Record<string, never>;
    /** @description A capture of a payment. Amounts are integers in minor units. */
    readonly Capture: {
      /** @description In minor units. */
      readonly amount: number;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly created_at: string;
      readonly currency: string;
      /**
       * Format: date-time
       * @description When its outcome was known.
       */
      readonly decided_at: string | null;
      /** @description Names the capture at its PSP, and never changes. */
      readonly entity_key: string;
      /** @constant */
      readonly object: 'capture';
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly payment_id: string;
      /** @description The PSP account that took the payment. */
      readonly psp: string;
      /** @description The code that the PSP gave last, verbatim. */
      readonly psp_code: string | null;
      /** @description That PSP's own id of the capture, where it has one. */
      readonly psp_reference: string | null;
      /** @description Names it among several of the payment; null where its request had no reference. */
      readonly reference: string | null;
      /**
       * @description `processing`: the outcome is not known yet and the service keeps working on it. `failed`: nothing was taken, or what was taken came back. Only what is `captured` counts in `amount_captured` of the payment.
       * @enum {string}
       */
      readonly status: 'processing' | 'captured' | 'failed';
    };
    readonly CapturePage: {
      readonly data: readonly components['schemas']['Capture'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description Without `amount`, or without a body: all that is left of what was authorized. With `reference`: one of several captures. */
    readonly CaptureRequest: {
      /** @description In minor units of the currency: 1000 is 10.00 EUR, 1000 JPY or 1.000 KWD. */
      readonly amount?: number;
      /** @description True: the rest of the authorization is released, also where the capture has a `reference`. False: the payment stays `authorized` until all is captured or the rest is canceled; a PSP that captures once refuses a part (`capture_in_parts_unsupported`, 409). Left out: true without a `reference`, false with one. */
      readonly final?: boolean;
      /** @description Names it among several of the payment. A request with the same reference, under whatever Idempotency-Key, is answered with the first and moves no money. Without a reference there is one. */
      readonly reference?: string;
    };
    readonly Card: {
      /** @description For routing: `visa`, `mastercard` or `amex`, for example, in small letters. */
      readonly brand?: string;
      /**
       * Format: country
       * @description For routing: the issuer's country, ISO 3166-1 alpha-2.
       */
      readonly country?: string;
    };
    readonly CardMethod: {
      /** @description Properties of the card, for routing. Never its number. */
      readonly card?: components['schemas']['Card'];
      /** @description A PSP account's name and that PSP's own customer, to whom the token belongs: `cus_…` at Stripe, which refuses an attached payment method without it; the shopperReference at Adyen, without which a payment that may go there is refused (`customer.reference` is sent where none is given here; three characters or more). */
      readonly customers?: {
        readonly [key: string]: string;
      };
      /**
       * @description `merchant`: charged on an agreement while the customer is away. The customer is not asked to authenticate; PSPs claim the exemption for payments by the merchant.
       * @default customer
       * @enum {string}
       */
      readonly initiator?: 'customer' | 'merchant';
      /** @description A PSP account's name and the token that this PSP made for it. Only PSPs with a token are candidates, and the name of no account is refused. Never a card number. */
      readonly tokens: {
        readonly [key: string]: string;
      };
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'card';
    };
    /** @description What the customer did. */
    readonly CompleteRequest: {
      /** @description What the customer's return brought, passed on to the PSP unchanged; at most 65,536 characters as JSON. The query string of the return as it came, as `return_query`; or, at Adyen, the `details` that its library gives. Stripe needs none of it: send `{ "return": "seen" }` or what the return brought. */
      readonly details: {
        readonly [key: string]: unknown;
      };
    };
    readonly Customer: {
      /** Format: email */
      readonly email?: string;
      /** @description Your own name for it. Need not be unique. */
      readonly reference?: string;
    };
    /** @description A job that failed for good. */
    readonly DeadLetter: {
      /** @description The arguments of the job: ids. */
      readonly args: {
        readonly [key: string]: string | number | boolean | null;
      };
      /** @description Why it was given up: a code that the handler of the kind gave. */
      readonly cause: string;
      /** Format: date-time */
      readonly died_at: string;
      /** @description The text of the last error, for people to read. Do not program against it. */
      readonly error: string;
      /** Format: date-time */
      readonly first_tried_at: string;
      /** Format: uuid */
      readonly id: string;
      /** @description The id of the job in the queue. */
      readonly job_id: string;
      /** @description The kind of job, as noun and verb: `webhook.apply`. */
      readonly kind: string;
      readonly tries: number;
    };
    readonly DeadLetterCount: {
      /** @description Why it was given up: a code that the handler of the kind gave. */
      readonly cause: string;
      readonly count: number;
      /** @description The kind of job, as noun and verb: `webhook.apply`. */
      readonly kind: string;
      readonly oldest_age_seconds: number;
      /** Format: date-time */
      readonly oldest_died_at: string;
    };
    readonly DeadLetterCounts: {
      readonly data: readonly components['schemas']['DeadLetterCount'][];
    };
    readonly DeadLetterPage: {
      readonly data: readonly components['schemas']['DeadLetter'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description Selects dead letters in one of three ways: `ids`; or a `kind`, a `cause` or both; or `all`. */
    readonly DeadLetterSelection: {
      /**
       * @description Every dead letter.
       * @enum {boolean}
       */
      readonly all?: true;
      /** @description Why it was given up: a code that the handler of the kind gave. */
      readonly cause?: string;
      /** @description The letters with these ids. */
      readonly ids?: readonly string[];
      /** @description Noun and verb: `webhook.apply`. */
      readonly kind?: string;
    };
    readonly DeadLettersMerged: {
      /** @description Selected and not handled: more than one request takes, or taken by another operator. */
      readonly left: number;
      readonly merged: number;
    };
    readonly DeadLettersPurged: {
      /** @description Selected and not handled: more than one request takes, or taken by another operator. */
      readonly left: number;
      readonly purged: number;
    };
    /** @description A dispute (chargeback) of a payment. Amounts are integers in minor units. */
    readonly Dispute: {
      /** @description What is disputed, in minor units. */
      readonly amount: number;
      /** @description As much of it as the PSP holds back now, or has taken. */
      readonly amount_withheld: number;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly closed_at: string | null;
      readonly currency: string;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      /** @constant */
      readonly object: 'dispute';
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly opened_at: string;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly payment_id: string;
      /** @description The PSP account that took the payment. */
      readonly psp: string | null;
      /** @description That PSP's own id of the dispute. */
      readonly psp_reference: string;
      /** @description The PSP's word for why, verbatim. */
      readonly reason: string | null;
      /**
       * Format: date-time
       * @description Until when the bank takes an answer, which is given in the PSP's own dashboard; null: the PSP has not said.
       */
      readonly respond_by: string | null;
      /**
       * @description `open`: the bank has not decided. `lost`: the bank keeps the money, unless the dispute is won later.
       * @enum {string}
       */
      readonly status: 'open' | 'won' | 'lost';
      /** @description The object is of test mode: no real money moves. */
      readonly test: boolean;
    };
    readonly DisputePage: {
      readonly data: readonly components['schemas']['Dispute'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description A change of a payment, refund, dispute or payout. */
    readonly Event: {
      /** @description The payment, refund, order or payout as the API showed it at that moment; for `ping` the endpoint. */
      readonly data: Record<string, never>;
      /**
       * Format: uuid
       * @description The same on every retry: the header `webhook-id`.
       */
      readonly id: string;
      /** @constant */
      readonly object: 'event';
      /** @description The object is of test mode: no real money moves. */
      readonly test: boolean;
      /**
       * Format: date-time
       * @description When the change was stored. RFC 3339, UTC.
       */
      readonly timestamp: string;
      /** @enum {string} */
      readonly type:
        | 'payment.authorized'
        | 'payment.captured'
        | 'payment.capture_failed'
        | 'payment.failed'
        | 'payment.canceled'
        | 'payment.requires_action'
        | 'payment.stuck'
        | 'order.paid'
        | 'order.overpaid'
        | 'order.released'
        | 'refund.succeeded'
        | 'refund.failed'
        | 'dispute.opened'
        | 'dispute.won'
        | 'dispute.lost'
        | 'payout.paid'
        | 'payout.failed'
        | 'payout.returned'
        | 'ping';
    };
    readonly EventPage: {
      readonly data: readonly components['schemas']['Event'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description Sends the event again. */
    readonly EventReplayRequest: {
      /** @description To this endpoint alone, whatever types it wants. Absent: to all endpoints that want the type. */
      readonly endpoint_id?: string;
    };
    readonly Failure: {
      readonly category: string;
      readonly code: string;
      readonly message: string;
      readonly psp_code: string | null;
    };
    /** @description A line of the trial balance, in minor units. */
    readonly LedgerBalance: {
      /** @enum {string} */
      readonly account:
        | 'psp_clearing'
        | 'merchant_payable'
        | 'refunds'
        | 'payouts'
        | 'disputes'
        | 'fees'
        | 'bank'
        | 'orphans';
      /** @description Everything that was credited until then. */
      readonly credit: number;
      readonly currency: string;
      /** @description Everything that was debited until the end of these days. */
      readonly debit: number;
    };
    readonly LedgerBalances: {
      /**
       * Format: date-time
       * @description Until when operations are posted; null: never yet.
       */
      readonly as_of: string | null;
      /** Format: date */
      readonly from: string;
      readonly psps: readonly components['schemas']['LedgerPspTotals'][];
      /** Format: date */
      readonly to: string;
      readonly trial: readonly components['schemas']['LedgerBalance'][];
    };
    readonly LedgerEntry: {
      /** @enum {string} */
      readonly account:
        | 'psp_clearing'
        | 'merchant_payable'
        | 'refunds'
        | 'payouts'
        | 'disputes'
        | 'fees'
        | 'bank'
        | 'orphans';
      /** @description In minor units; debits above zero, credits below. */
      readonly amount: number;
      readonly currency: string;
      /** @description What moved the money: `charge`, `refund`, `fee` … */
      readonly kind: string;
      readonly line: number;
      /**
       * Format: uuid
       * @description The merchant.
       */
      readonly merchant_id: string;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly occurred_at: string;
      /** @description The merchant's name for the order. */
      readonly order: string | null;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly payment_id: string | null;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly payout_id: string | null;
      readonly psp: string;
      /** @description The merchant's name for the payment or payout. */
      readonly reference: string | null;
      /** @description Names the transaction; its entries sum to zero. */
      readonly source: string;
    };
    readonly LedgerEntryPage: {
      readonly data: readonly components['schemas']['LedgerEntry'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description One PSP account in one currency, in minor units. */
    readonly LedgerPspTotals: {
      readonly currency: string;
      /** @description Withheld for disputes in these days, less what was given back. */
      readonly disputed: number;
      /** @description What the PSP charged for it in these days, as far as its reports have told. */
      readonly fees: number;
      /** @description What the PSP holds at the end of these days: what it is still to pay out. */
      readonly held: number;
      /** @description Paid out to recipients in these days. */
      readonly paid_out: number;
      readonly psp: string;
      /** @description Refunded in these days. */
      readonly refunded: number;
      /** @description Transferred to the bank in these days, as far as reports have told. */
      readonly settled: number;
      /** @description Charged and captured in these days. */
      readonly taken: number;
    };
    readonly Live: {
      /** @constant */
      readonly status: 'live';
      readonly version: string;
    };
    /** @description The payer's consent to direct debits. */
    readonly Mandate: {
      /** @description Your own name of the mandate, which the payer was told. */
      readonly reference: string;
      /**
       * @description `first` or `final` of several debits, `recurring` among them, or `one_off`: the only one.
       * @default recurring
       * @enum {string}
       */
      readonly sequence?: 'first' | 'recurring' | 'one_off' | 'final';
      /**
       * Format: date
       * @description The day on which the payer signed it: `2026-11-22`.
       */
      readonly signed_on: string;
    };
    /** @description An empty object, or no body at all. */
    readonly NothingRequest: Record<string, never>;
    /** @description A PSP's own format: an event of Stripe, a batch of notification items of Adyen. */
    readonly Notification: {
      readonly [key: string]: unknown;
    };
    /** @description What a customer owes once. Its live payments never add up to more than what is due. Amounts are integers in minor units. */
    readonly Order: {
      /** @description In minor units. */
      readonly amount_due: number;
      /** @description Of payments that took money or may yet take it, less what was given back, in minor units. */
      readonly amount_live: number;
      /** @description How much more is live than is due, in minor units. */
      readonly amount_overpaid: number;
      /** @description Captured and not given back, in minor units. */
      readonly amount_paid: number;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly created_at: string;
      readonly currency: string;
      /** @description Names what may be collected once, above the entity keys of its payments. */
      readonly entity_key: string;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      /** @constant */
      readonly object: 'order';
      /** @description Several payments may be live, each for a part. */
      readonly parts: boolean;
      /** @description Your name for it, unique among your orders. */
      readonly reference: string;
      /**
       * @description `open`: no payment of it is live. `pending`: what is live is not captured yet, or not all that is due. `overpaid`: a PSP took back a refund or a release after another payment was taken.
       * @enum {string}
       */
      readonly status: 'open' | 'pending' | 'paid' | 'overpaid';
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly updated_at: string;
    };
    /** @description An order with its payments. */
    readonly OrderDetails: {
      /** @description In minor units. */
      readonly amount_due: number;
      /** @description Of payments that took money or may yet take it, less what was given back, in minor units. */
      readonly amount_live: number;
      /** @description How much more is live than is due, in minor units. */
      readonly amount_overpaid: number;
      /** @description Captured and not given back, in minor units. */
      readonly amount_paid: number;
      /** @description Given back of its payments, in minor units. */
      readonly amount_refunded: number;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly created_at: string;
      readonly currency: string;
      /** @description Names what may be collected once, above the entity keys of its payments. */
      readonly entity_key: string;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      /** @constant */
      readonly object: 'order';
      /** @description Of the payments that are shown. */
      readonly orphans: readonly components['schemas']['OrderOrphan'][];
      /** @description Several payments may be live, each for a part. */
      readonly parts: boolean;
      /** @description Its payments, the oldest first; the last hundred where there are more. */
      readonly payments: readonly components['schemas']['OrderPayment'][];
      /** @description Your name for it, unique among your orders. */
      readonly reference: string;
      /**
       * @description `open`: no payment of it is live. `pending`: what is live is not captured yet, or not all that is due. `overpaid`: a PSP took back a refund or a release after another payment was taken.
       * @enum {string}
       */
      readonly status: 'open' | 'pending' | 'paid' | 'overpaid';
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly updated_at: string;
    };
    /** @description What a PSP did of a payment after it was proved that it could not: more than is due, until it is given back. */
    readonly OrderOrphan: {
      /** @description In minor units. */
      readonly amount: number;
      /**
       * Format: uuid
       * @description The payment that had lost it.
       */
      readonly payment_id: string;
      readonly psp: string;
      readonly psp_reference: string | null;
      /**
       * @description `open`: found. `approved`: a person approved giving it back. `compensating`: on its way. `compensated`: given back. `failed`: for a person. `closed`: a person has dealt with it.
       * @enum {string}
       */
      readonly status: 'open' | 'approved' | 'compensating' | 'compensated' | 'failed' | 'closed';
    };
    readonly OrderPage: {
      readonly data: readonly components['schemas']['Order'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description A payment of an order, and how much of the order it takes. */
    readonly OrderPayment: {
      /** @description What of it is live, in minor units. */
      readonly amount_live: number;
      /**
       * @description Why nothing of it is live; null where something is.
       * @enum {string|null}
       */
      readonly not_counted: 'took_nothing' | 'given_back' | null;
      readonly payment: components['schemas']['Payment'];
    };
    readonly PayLater: {
      /** @enum {string} */
      readonly name: 'klarna';
    };
    readonly PayLaterMethod: {
      /** @description A PSP account's name and that PSP's own customer, to whom the token belongs: `cus_…` at Stripe, which refuses an attached payment method without it; the shopperReference at Adyen, without which a payment that may go there is refused (`customer.reference` is sent where none is given here; three characters or more). */
      readonly customers?: {
        readonly [key: string]: string;
      };
      readonly pay_later: components['schemas']['PayLater'];
      /** @description A PSP account's name and the token that this PSP made for it. Only PSPs with a token are candidates, and the name of no account is refused. Left out: every account that takes it without a token is one. */
      readonly tokens?: {
        readonly [key: string]: string;
      };
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'pay_later';
    };
    /** @description A payment. Amounts are integers in minor units. */
    readonly Payment: {
      /** @description The requested amount, in minor units. */
      readonly amount: number;
      /** @description What is authorized and neither captured nor being captured, in minor units. */
      readonly amount_capturable: number;
      /** @description In minor units. */
      readonly amount_captured: number;
      /** @description What the PSP holds back because of disputes, or has taken, in minor units. It cannot be refunded. */
      readonly amount_disputed: number;
      /** @description In minor units. */
      readonly amount_refunded: number;
      /**
       * @description `manual` authorizes only; capture or cancel later.
       * @enum {string}
       */
      readonly capture: 'automatic' | 'manual';
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly created_at: string;
      readonly currency: string;
      /** @description The merchant's reference of the customer. An e-mail address given as reference is not kept. */
      readonly customer: string | null;
      /** @description What was disputed of it, the oldest first. */
      readonly disputes: readonly components['schemas']['Dispute'][];
      /** @description Names the operation at every PSP, and never changes. */
      readonly entity_key: string;
      /** @description Why a payment with status `failed` failed. A decline is not an HTTP error. */
      readonly failure: components['schemas']['Failure'] | null;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      readonly metadata: {
        readonly [key: string]: string;
      };
      /** @description What the customer has to do while the status is `requires_action`; then POST `/complete`. null with that status: the PSP asked for an action that Payonce cannot pass on; the attempts name it. */
      readonly next_action:
        components['schemas']['RedirectAction'] | components['schemas']['PspSdkAction'] | null;
      /** @constant */
      readonly object: 'payment';
      /** @description The order that it is for. */
      readonly order: string | null;
      /** @description What the request said of it; tokens are not kept. */
      readonly payment_method: components['schemas']['PaymentMethodShown'];
      /** @description The PSP account that took the payment, as soon as one did. */
      readonly psp: string | null;
      /** @description That PSP's own id. */
      readonly psp_reference: string | null;
      readonly reference: string;
      /** @description Where the customer comes back to. */
      readonly return_url: string | null;
      /** @description The PSPs that were tried, in order, with the outcome of each. */
      readonly routes: readonly components['schemas']['Route'][];
      /**
       * @description `processing`: the outcome is not known yet and the service keeps working on it. `requires_action`: see `next_action`. In every other status nothing is under way.
       * @enum {string}
       */
      readonly status:
        | 'processing'
        | 'requires_action'
        | 'authorized'
        | 'captured'
        | 'partially_refunded'
        | 'refunded'
        | 'canceled'
        | 'failed';
      /** @description The object is of test mode: no real money moves. */
      readonly test: boolean;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly updated_at: string;
    };
    readonly PaymentMethodShown: {
      readonly brand: string | null;
      /** @description The issuer's country, ISO 3166-1 alpha-2. */
      readonly country: string | null;
      /** @description Which one of its type: `apple_pay`, `ideal`, `sepa` or `klarna`, for example; null for a card. */
      readonly name: string | null;
      /** @enum {string} */
      readonly type: 'card' | 'wallet' | 'bank_redirect' | 'bank_debit' | 'pay_later';
    };
    readonly PaymentOrder: {
      /** @description What is due, in minor units. Left out: what was due before, or for a new order the payment's amount. Another amount than before changes what is due (a voucher), never below what is live. */
      readonly amount?: number;
      /** @description Several payments may be live, each for a part (a gift card and a card); needs `amount` the first time. Left out: as before, or for a new order no. */
      readonly parts?: boolean;
      /** @description Your name for the order, unique among your orders. */
      readonly reference: string;
      /**
       * @description Cancels a payment of the order that its customer left at `requires_action`, and takes this one once its PSP says that it is canceled.
       * @default false
       */
      readonly replace?: boolean;
    };
    readonly PaymentPage: {
      readonly data: readonly components['schemas']['Payment'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description A payment to create and to charge or authorize. */
    readonly PaymentRequest: {
      /**
       * @description Takes the payment although one of the same customer, amount, currency and reference was taken a moment ago: the second one is intended. Takes none beside one that is `processing` or `requires_action`.
       * @default false
       */
      readonly allow_duplicate?: boolean;
      /** @description In minor units of the currency: 1000 is 10.00 EUR, 1000 JPY or 1.000 KWD. */
      readonly amount: number;
      /**
       * @description `manual` authorizes only; capture or cancel later.
       * @default automatic
       * @enum {string}
       */
      readonly capture?: 'automatic' | 'manual';
      /**
       * @description With `capture: manual`: it will be captured in parts, so only accounts at PSPs that capture in parts may get it.
       * @default false
       */
      readonly capture_parts?: boolean;
      /**
       * Format: currency
       * @description ISO 4217, in capitals.
       */
      readonly currency: string;
      readonly customer?: components['schemas']['Customer'];
      /** @description Up to 50 pairs of your own, given back as they were sent. */
      readonly metadata?: {
        readonly [key: string]: string;
      };
      /** @description The order that the payment is for: what the customer owes once, however often and with however many cards they try. Requests for one order share it under whatever Idempotency-Key. */
      readonly order?: components['schemas']['PaymentOrder'];
      readonly payment_method:
        | components['schemas']['CardMethod']
        | components['schemas']['WalletMethod']
        | components['schemas']['BankRedirectMethod']
        | components['schemas']['BankDebitMethod']
        | components['schemas']['PayLaterMethod'];
      /** @description Your own name for it. Need not be unique. */
      readonly reference: string;
      /**
       * Format: uri
       * @description Where the customer comes back to after a redirect. http or https.
       */
      readonly return_url?: string;
      /**
       * Format: statement-descriptor
       * @description What the cardholder's statement shows. Latin letters, digits and signs but < > \ ' " *, at least one letter.
       */
      readonly statement_descriptor?: string;
    };
    /** @description A payout. Amounts are integers in minor units. */
    readonly Payout: {
      /** @description In minor units. */
      readonly amount: number;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly created_at: string;
      readonly currency: string;
      /** @description Names the operation at every PSP, and never changes. */
      readonly entity_key: string;
      /** @description Why a payout with status `failed` failed (nothing was paid), or why the money of a `returned` one came back. */
      readonly failure: components['schemas']['Failure'] | null;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      readonly metadata: {
        readonly [key: string]: string;
      };
      /** @constant */
      readonly object: 'payout';
      /**
       * Format: uuid
       * @description The payout to this recipient that had ended before; null for the first.
       */
      readonly previous: string | null;
      /** @description The PSP account that made the payout, as soon as one did. */
      readonly psp: string | null;
      /** @description That PSP's own id. */
      readonly psp_reference: string | null;
      /** @description The recipient's reference. */
      readonly recipient: string;
      readonly reference: string;
      /** @description The PSPs that were tried, in order, with the outcome of each. */
      readonly routes: readonly components['schemas']['Route'][];
      /**
       * @description `processing`: the outcome is not known yet, the service keeps working on it, and the next payout to this recipient waits. `failed` is final. `paid` is as well, unless the money comes back: `returned`.
       * @enum {string}
       */
      readonly status: 'processing' | 'paid' | 'failed' | 'returned';
      /** @description The object is of test mode: no real money moves. */
      readonly test: boolean;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly updated_at: string;
    };
    readonly PayoutPage: {
      readonly data: readonly components['schemas']['Payout'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description A payout to send. */
    readonly PayoutRequest: {
      /** @description In minor units of the currency: 1000 is 10.00 EUR, 1000 JPY or 1.000 KWD. */
      readonly amount: number;
      /**
       * Format: currency
       * @description ISO 4217, in capitals.
       */
      readonly currency: string;
      /** @description Up to 50 pairs of your own, given back as they were sent. */
      readonly metadata?: {
        readonly [key: string]: string;
      };
      /**
       * @description The id of the last payout to this recipient that ended (paid or failed); null or absent for the first.
       * @default null
       */
      readonly previous?: string | null;
      readonly recipient: components['schemas']['Recipient'];
      /** @description Your own name for it. Need not be unique. */
      readonly reference: string;
      /**
       * Format: statement-descriptor
       * @description What the recipient's statement shows, where the PSP can; as for a payment.
       */
      readonly statement_descriptor?: string;
    };
    /** @description RFC 9457. */
    readonly Problem: {
      /**
       * @description For programs. Its page is `/docs/problems/<code>`.
       * @enum {string}
       */
      readonly code:
        | 'validation_failed'
        | 'card_number_refused'
        | 'body_malformed'
        | 'request_malformed'
        | 'request_timeout'
        | 'headers_too_large'
        | 'body_too_large'
        | 'unsupported_media_type'
        | 'idempotency_key_missing'
        | 'idempotency_key_invalid'
        | 'idempotency_key_reused'
        | 'request_in_progress'
        | 'unauthorized'
        | 'signature_invalid'
        | 'forbidden'
        | 'not_found'
        | 'method_not_allowed'
        | 'invalid_state'
        | 'details_refused'
        | 'capture_in_parts_unsupported'
        | 'amount_exceeds_authorized'
        | 'amount_exceeds_refundable'
        | 'refund_exists'
        | 'refund_reversed'
        | 'too_many_operations'
        | 'payment_disputed'
        | 'probable_duplicate'
        | 'order_paid'
        | 'order_in_doubt'
        | 'order_changed'
        | 'amount_exceeds_order'
        | 'payout_in_progress'
        | 'payout_sequence_stale'
        | 'payout_limit_exceeded'
        | 'recipient_not_registered'
        | 'recipient_not_approved'
        | 'webhook_target_refused'
        | 'webhook_endpoint_limit'
        | 'replay_too_large'
        | 'psp_account_changed'
        | 'psp_account_refused'
        | 'no_route'
        | 'rate_limited'
        | 'commits_may_be_lost'
        | 'overloaded'
        | 'internal_error';
      /** @description Explains this occurrence. Never repeats the request. */
      readonly detail: string;
      /** @description For `validation_failed`, `card_number_refused` and `webhook_target_refused`. */
      readonly errors?: readonly components['schemas']['ProblemField'][];
      /** @description For `payout_limit_exceeded`: the limit of a day that the payout ran into, such as `merchant_amount`, `recipient_count` or `currency`. */
      readonly limit?: string;
      /**
       * Format: uuid
       * @description For `probable_duplicate`: the existing payment. For `idempotency_key_reused`: the payment of the request that the key was used for.
       */
      readonly payment_id?: string;
      /**
       * Format: uuid
       * @description For `payout_in_progress`: the payout to wait for. For `payout_sequence_stale`: the last one that ended, null where there is none. For `idempotency_key_reused`: the payout of the request that the key was used for.
       */
      readonly payout_id?: string | null;
      /**
       * Format: uuid
       * @description For `refund_exists` and `refund_reversed`: the existing refund.
       */
      readonly refund_id?: string;
      /**
       * Format: uuid
       * @description Absent in a replayed answer, which is the same to the byte each time; see the header Request-Id.
       */
      readonly request_id?: string;
      readonly status: number;
      /** @description The same text for each code. */
      readonly title: string;
      /** Format: uri */
      readonly type: string;
    } & {
      readonly [key: string]: unknown;
    };
    readonly ProblemField: {
      readonly message: string;
      /** @description RFC 6901, into the body; for a query, the name of the parameter. */
      readonly pointer: string;
    };
    /** @description What the PSP's own library in the browser or app carries out. */
    readonly PspSdkAction: {
      /** @description The PSP's own object, as it came: Adyen's `action`, Stripe's `next_action`. */
      readonly data: {
        readonly [key: string]: unknown;
      };
      /** @description The PSP account's name. */
      readonly psp: string;
      /** @constant */
      readonly type: 'psp_sdk';
    };
    /** @description Sends again the events of a period, of the types that the endpoint wants; at most 10,000. */
    readonly RangeReplayRequest: {
      /**
       * Format: date-time
       * @description Events from this time on (RFC 3339).
       */
      readonly from: string;
      /**
       * Format: date-time
       * @description Events until this time (RFC 3339).
       */
      readonly to: string;
    };
    readonly Ready: {
      readonly checks: {
        readonly [key: string]: 'up' | 'down';
      };
      /** @enum {string} */
      readonly status: 'ready' | 'not_ready' | 'draining';
      /** @description What a person has to see to, though the process works. */
      readonly warnings?: readonly 'commits_may_be_lost'[];
    };
    readonly Recipient: {
      /** @description Your own name for the recipient: its payouts are one sequence. */
      readonly reference: string;
      /** @description A PSP account's name and the token that this PSP made for the recipient's bank account. Only PSPs with a token are candidates. Never an account or card number; but a bank that takes files is given the account itself (docs/bank-files.md). */
      readonly tokens: {
        readonly [key: string]: string;
      };
    };
    readonly RecipientPage: {
      readonly data: readonly components['schemas']['RegisteredRecipient'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description A recipient to register. */
    readonly RecipientRequest: {
      /** @description Your own name for the recipient, as payouts will have it. */
      readonly reference: string;
      /** @description A PSP account's name and the token that this PSP made for the recipient's bank account; for a bank that takes files, the account itself. A payout may name all of them or some. */
      readonly tokens: {
        readonly [key: string]: string;
      };
    };
    /** @description Where what a PSP says, in a report or a notification, differs from our books. */
    readonly ReconciliationBreak: {
      /** @description `missing_at_psp`, `duplicate_effect` … */
      readonly category: string;
      /** @description Null where a notification names no money. */
      readonly currency: string | null;
      /** @description The operation, where it is known. */
      readonly entity_key: string | null;
      /** @description The notification that it was found by. */
      readonly event_id: string | null;
      /** @description What the ledger has, in signed minor units. */
      readonly expected: number | null;
      /**
       * Format: uuid
       * @description UUID.
       */
      readonly id: string;
      /** @description The line of the report; null: it has none. */
      readonly line: number | null;
      readonly merchant_id: string | null;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly occurred_at: string;
      readonly owner: string | null;
      readonly psp: string;
      readonly psp_reference: string | null;
      /** @description What the PSP says. */
      readonly reported: number | null;
      readonly resolution: string | null;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly resolved_at: string | null;
      /** @description A run, the task `reconciliation`, or a person. */
      readonly resolved_by: string | null;
      /** @description The report that it was found by; null: a notification found it. */
      readonly run_id: string | null;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly since: string;
      /** @description `open`, `assigned` or `closed`. */
      readonly state: string;
    };
    readonly ReconciliationBreakCount: {
      readonly category: string;
      readonly closed: number;
      readonly currency: string;
      /** @description What is reported less what the ledger has, of those that are open. */
      readonly difference: number;
      readonly open: number;
    };
    readonly ReconciliationBreakNote: {
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly at: string;
      readonly by: string;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      readonly note: string;
    };
    readonly ReconciliationBreakPage: {
      readonly data: readonly components['schemas']['ReconciliationBreak'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    readonly ReconciliationBreakWithNotes: {
      readonly found: components['schemas']['ReconciliationBreak'];
      /** @description What people found out so far, the oldest first. */
      readonly notes: readonly components['schemas']['ReconciliationBreakNote'][];
    };
    readonly ReconciliationResult: {
      readonly breaks: readonly components['schemas']['ReconciliationBreakCount'][];
      /** @description Lines that are about something of the ledger. */
      readonly matched: number;
      readonly run: components['schemas']['ReconciliationRun'];
      readonly totals: readonly components['schemas']['ReconciliationTotals'][];
      readonly unmatched: number;
    };
    /** @description A report of a PSP that was imported. */
    readonly ReconciliationRun: {
      readonly file_name: string;
      readonly format: string;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly imported_at: string;
      readonly imported_by: string;
      readonly lines: number;
      /** @description Lines that no report before had. */
      readonly new_lines: number;
      /**
       * Format: date-time
       * @description From when the report covers everything.
       */
      readonly period_from: string;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly period_to: string;
      /** @description The PSP account. */
      readonly psp: string;
    };
    readonly ReconciliationRunPage: {
      readonly data: readonly components['schemas']['ReconciliationRun'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description Minor units; opening + in - out - fees - settled is closing. */
    readonly ReconciliationTotals: {
      readonly closing: number;
      readonly currency: string;
      readonly fees: number;
      readonly in: number;
      readonly opening: number;
      readonly out: number;
      readonly settled: number;
    };
    /** @description A page to open. */
    readonly RedirectAction: {
      /** @description The fields of the form to send with POST; empty for GET. */
      readonly fields: {
        readonly [key: string]: string;
      };
      /** @enum {string} */
      readonly method: 'GET' | 'POST';
      /** @constant */
      readonly type: 'redirect';
      /** @description Send the customer there. It may have 8,000 characters and more. */
      readonly url: string;
    };
    /** @description A refund of a payment. Amounts are integers in minor units. */
    readonly Refund: {
      /** @description In minor units. */
      readonly amount: number;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly created_at: string;
      readonly currency: string;
      /** @description Names the refund at its PSP, and never changes. */
      readonly entity_key: string;
      /**
       * @description Only in the answer to POST, and only where another request had made this refund. Without a `reference` a payment has one refund: another one needs a `reference` of its own.
       * @constant
       */
      readonly existing?: true;
      /** @description Why a refund with status `failed` failed. */
      readonly failure: components['schemas']['Failure'] | null;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      readonly metadata: {
        readonly [key: string]: string;
      };
      /** @constant */
      readonly object: 'refund';
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly payment_id: string;
      /** @description The PSP account that took the payment. */
      readonly psp: string | null;
      /** @description That PSP's own id of the refund. */
      readonly psp_reference: string | null;
      readonly reason: string | null;
      /** @description Names this refund among several of the payment; null where the request had no reference. */
      readonly reference: string | null;
      /**
       * @description `pending`: the outcome is not known yet and the service keeps working on it. `failed`: nothing was given back, and the same refund may be requested again under a new Idempotency-Key. A refund that failed days after the PSP had made it is `failed` too; a request for it is answered `refund_reversed`, and a new refund takes another `reference`.
       * @enum {string}
       */
      readonly status: 'pending' | 'succeeded' | 'failed';
      /** @description The object is of test mode: no real money moves. */
      readonly test: boolean;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly updated_at: string;
    };
    readonly RefundPage: {
      readonly data: readonly components['schemas']['Refund'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description Without `amount`, or without a body: all that was captured and is not refunded yet. */
    readonly RefundRequest: {
      /** @description In minor units of the currency: 1000 is 10.00 EUR, 1000 JPY or 1.000 KWD. */
      readonly amount?: number;
      /** @description Up to 50 pairs of your own, given back as they were sent. */
      readonly metadata?: {
        readonly [key: string]: string;
      };
      /** @description The reason, for your own records. Not sent to the PSP. */
      readonly reason?: string;
      /** @description Names it among several of the payment. A request with the same reference, under whatever Idempotency-Key, is answered with the first and moves no money. Without a reference there is one. */
      readonly reference?: string;
    };
    /** @description A recipient of payouts that was registered first. */
    readonly RegisteredRecipient: {
      /** @description PSP account to the last four characters of the token, empty where that would be half of it. */
      readonly accounts: {
        readonly [key: string]: string;
      };
      /**
       * Format: date-time
       * @description When an operator approved this version.
       */
      readonly approved_at: string | null;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      /** @constant */
      readonly object: 'recipient';
      /** @description As payouts name it. */
      readonly reference: string;
      /**
       * Format: date-time
       * @description When this version was registered.
       */
      readonly registered_at: string;
      /**
       * @description `waiting_for_approval`: an operator has to approve it before it is paid. `removed`: it is not paid until it is registered again.
       * @enum {string}
       */
      readonly status: 'active' | 'waiting_for_approval' | 'removed';
      /** @description The object is of test mode: no real money moves. */
      readonly test: boolean;
      /** @description Raised with every change of the tokens, and by removal. */
      readonly version: number;
    };
    /** @description The replay that was started. */
    readonly Replay: {
      /** @description How many are sent again. */
      readonly deliveries: number;
      /** @constant */
      readonly object: 'replay';
    };
    readonly Route: {
      readonly outcome: string | null;
      readonly psp: string;
      readonly route: number;
      readonly verdict: string;
    };
    readonly Wallet: {
      /** @enum {string} */
      readonly name: 'apple_pay' | 'google_pay' | 'paypal';
    };
    readonly WalletMethod: {
      /** @description A PSP account's name and that PSP's own customer, to whom the token belongs: `cus_…` at Stripe, which refuses an attached payment method without it; the shopperReference at Adyen, without which a payment that may go there is refused (`customer.reference` is sent where none is given here; three characters or more). */
      readonly customers?: {
        readonly [key: string]: string;
      };
      /**
       * @description `merchant`: charged on an agreement while the customer is away. The customer is not asked to authenticate; PSPs claim the exemption for payments by the merchant.
       * @default customer
       * @enum {string}
       */
      readonly initiator?: 'customer' | 'merchant';
      /** @description A PSP account's name and the token that this PSP made for it. Only PSPs with a token are candidates, and the name of no account is refused. Left out: every account that takes it without a token is one. Apple Pay and Google Pay are paid with a token. */
      readonly tokens?: {
        readonly [key: string]: string;
      };
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      readonly type: 'wallet';
      readonly wallet: components['schemas']['Wallet'];
    };
    /** @description An event on its way to one endpoint, with its tries. */
    readonly WebhookDelivery: {
      /** @description Newest first. */
      readonly attempts: readonly components['schemas']['WebhookDeliveryAttempt'][];
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly endpoint_id: string;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly event_id: string;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly next_attempt_at: string | null;
      /** @constant */
      readonly object: 'webhook_delivery';
      /**
       * @description `exhausted`: the last of 16 tries failed. `canceled`: the endpoint was disabled. Both can be replayed.
       * @enum {string}
       */
      readonly status: 'pending' | 'delivered' | 'exhausted' | 'canceled';
    };
    readonly WebhookDeliveryAttempt: {
      readonly attempt: number;
      /** @description Null where the endpoint accepted the event, or the try has not ended. */
      readonly error_code: string | null;
      readonly http_status: number | null;
      readonly latency_ms: number | null;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly started_at: string;
    };
    readonly WebhookDeliveryPage: {
      readonly data: readonly components['schemas']['WebhookDelivery'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description An address that events are sent to. */
    readonly WebhookEndpoint: {
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly created_at: string;
      readonly description: string | null;
      /**
       * @description `asked`: by you. `gone`: it answered 410. `failing`: every try failed for five days.
       * @enum {string|null}
       */
      readonly disabled_reason: 'asked' | 'gone' | 'failing' | null;
      /** @description The types that are sent; null: all. */
      readonly events: readonly string[] | null;
      /**
       * Format: date-time
       * @description Since when every try has failed; null where the last one did not.
       */
      readonly failing_since: string | null;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      /** @constant */
      readonly object: 'webhook_endpoint';
      /**
       * Format: date-time
       * @description Until then events are also signed with the previous secret.
       */
      readonly previous_secret_until: string | null;
      /** @enum {string} */
      readonly status: 'enabled' | 'disabled';
      /** @description The object is of test mode: no real money moves. */
      readonly test: boolean;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly updated_at: string;
      readonly url: string;
    };
    readonly WebhookEndpointPage: {
      readonly data: readonly components['schemas']['WebhookEndpoint'][];
      readonly has_more: boolean;
      /** @description Give it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
    /** @description An address to send events to. */
    readonly WebhookEndpointRequest: {
      /** @description Your own note. */
      readonly description?: string;
      /** @description The types to send. Absent: all types, also those added later. */
      readonly events?: readonly (
        | 'payment.authorized'
        | 'payment.captured'
        | 'payment.capture_failed'
        | 'payment.failed'
        | 'payment.canceled'
        | 'payment.requires_action'
        | 'payment.stuck'
        | 'order.paid'
        | 'order.overpaid'
        | 'order.released'
        | 'refund.succeeded'
        | 'refund.failed'
        | 'dispute.opened'
        | 'dispute.won'
        | 'dispute.lost'
        | 'payout.paid'
        | 'payout.failed'
        | 'payout.returned'
      )[];
      /**
       * Format: uri
       * @description Where events are sent: https, port 443, 8443 or one from 1024 on, and a name that leads to public addresses only.
       */
      readonly url: string;
    };
    /** @description An address that events are sent to, with its new secret. */
    readonly WebhookEndpointWithSecret: {
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly created_at: string;
      readonly description: string | null;
      /**
       * @description `asked`: by you. `gone`: it answered 410. `failing`: every try failed for five days.
       * @enum {string|null}
       */
      readonly disabled_reason: 'asked' | 'gone' | 'failing' | null;
      /** @description The types that are sent; null: all. */
      readonly events: readonly string[] | null;
      /**
       * Format: date-time
       * @description Since when every try has failed; null where the last one did not.
       */
      readonly failing_since: string | null;
      /**
       * Format: uuid
       * @description UUIDv7.
       */
      readonly id: string;
      /** @constant */
      readonly object: 'webhook_endpoint';
      /**
       * Format: date-time
       * @description Until then events are also signed with the previous secret.
       */
      readonly previous_secret_until: string | null;
      /** @description Verifies signatures. Shown only in this answer. */
      readonly secret: string;
      /** @enum {string} */
      readonly status: 'enabled' | 'disabled';
      /** @description The object is of test mode: no real money moves. */
      readonly test: boolean;
      /**
       * Format: date-time
       * @description RFC 3339, UTC.
       */
      readonly updated_at: string;
      readonly url: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: {
    /** @description The page of this installation about the problem, with the relation `help` (RFC 8288). */
    readonly Help: string;
    /** @description Set to true where this is the stored answer of an earlier request. */
    readonly IdempotentReplayed: 'true';
    /** @description The path at which the object is read. */
    readonly Location: string;
    /** @description The id of the request in the log of the service. */
    readonly RequestId: string;
    /** @description Seconds to wait before the next try. */
    readonly RetryAfter: number;
    /** @description Always Bearer. */
    readonly WwwAuthenticate: 'Bearer';
  };
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  readonly live: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The process is alive. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Live'];
        };
      };
    };
  };
  readonly ready: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The process is ready. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Ready'];
        };
      };
      /** @description The process is not ready, or is stopping. */
      readonly 503: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Ready'];
        };
      };
    };
  };
  readonly metrics: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description All metrics. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/plain': string;
        };
      };
    };
  };
  readonly listDeadLetters: {
    readonly parameters: {
      readonly query?: {
        /** @description Why it was given up: a code that the handler of the kind gave. */
        readonly cause?: string;
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description Given up at this time or earlier (RFC 3339). */
        readonly 'died[lte]'?: string;
        /** @description Noun and verb: `webhook.apply`. */
        readonly kind?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetterPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getDeadLetter: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the dead letter. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The dead letter. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetter'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly countDeadLetters: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The groups. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLetterCounts'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly mergeDeadLetters: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['DeadLetterSelection'];
      };
    };
    readonly responses: {
      /** @description How many were sent back to their queues. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLettersMerged'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly purgeDeadLetters: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['DeadLetterSelection'];
      };
    };
    readonly responses: {
      /** @description How many were deleted. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DeadLettersPurged'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getLedgerBalances: {
    readonly parameters: {
      readonly query?: {
        /** @description ISO 4217, in capitals. */
        readonly currency?: string;
        /** @description The first day (UTC). Today where it is left out. */
        readonly from?: string;
        /** @description One merchant. */
        readonly merchant_id?: string;
        /** @description A PSP account's name. */
        readonly psp?: string;
        /** @description The last day (UTC). Today where it is left out. */
        readonly to?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The balances. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['LedgerBalances'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listLedgerEntries: {
    readonly parameters: {
      readonly query?: {
        /** @description One account of the ledger. */
        readonly account?:
          | 'psp_clearing'
          | 'merchant_payable'
          | 'refunds'
          | 'payouts'
          | 'disputes'
          | 'fees'
          | 'bank'
          | 'orphans';
        /** @description ISO 4217, in capitals. */
        readonly currency?: string;
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description The first day (UTC). Today where it is left out. */
        readonly from?: string;
        /** @description How many at most. */
        readonly limit?: number;
        /** @description One merchant. */
        readonly merchant_id?: string;
        /** @description A PSP account's name. */
        readonly psp?: string;
        /** @description The last day (UTC). Today where it is left out. */
        readonly to?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['LedgerEntryPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listReconciliationBreaks: {
    readonly parameters: {
      readonly query?: {
        /** @description How many at most. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ReconciliationBreakPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getReconciliationBreak: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the break. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The difference. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ReconciliationBreakWithNotes'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listReconciliationRuns: {
    readonly parameters: {
      readonly query?: {
        /** @description How many at most. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ReconciliationRunPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getReconciliationRun: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the run. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The result. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ReconciliationResult'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listReconciliationRunBreaks: {
    readonly parameters: {
      readonly query?: {
        /** @description How many at most. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The id of the run. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ReconciliationBreakPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listDisputes: {
    readonly parameters: {
      readonly query?: {
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
        readonly status?: 'open' | 'won' | 'lost';
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['DisputePage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listEvents: {
    readonly parameters: {
      readonly query?: {
        /** @description Created at this time or later (RFC 3339). */
        readonly 'created[gte]'?: string;
        /** @description Created at this time or earlier (RFC 3339). */
        readonly 'created[lte]'?: string;
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
        readonly type?:
          | 'payment.authorized'
          | 'payment.captured'
          | 'payment.capture_failed'
          | 'payment.failed'
          | 'payment.canceled'
          | 'payment.requires_action'
          | 'payment.stuck'
          | 'order.paid'
          | 'order.overpaid'
          | 'order.released'
          | 'refund.succeeded'
          | 'refund.failed'
          | 'dispute.opened'
          | 'dispute.won'
          | 'dispute.lost'
          | 'payout.paid'
          | 'payout.failed'
          | 'payout.returned'
          | 'ping';
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['EventPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getEvent: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the event. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The event. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Event'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listEventDeliveries: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the event. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Every attempt of the payment. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['WebhookDeliveryPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly replayEvent: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the event. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['EventReplayRequest'];
      };
    };
    readonly responses: {
      /** @description The event is on its way. */
      readonly 202: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Replay'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_state`: The state of the object does not allow this. */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listOrders: {
    readonly parameters: {
      readonly query?: {
        /** @description Created at this time or later (RFC 3339). */
        readonly 'created[gte]'?: string;
        /** @description Created at this time or earlier (RFC 3339). */
        readonly 'created[lte]'?: string;
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
        /** @description Only orders of which more is live than is due. */
        readonly status?: 'overpaid';
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['OrderPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getOrder: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description Your name of the order, percent-encoded. */
        readonly reference: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The order. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['OrderDetails'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listPayments: {
    readonly parameters: {
      readonly query?: {
        /** @description Of this amount or more, in minor units. */
        readonly 'amount[gte]'?: number;
        /** @description Of this amount or less, in minor units. */
        readonly 'amount[lte]'?: number;
        /** @description Created at this time or later (RFC 3339). */
        readonly 'created[gte]'?: string;
        /** @description Created at this time or earlier (RFC 3339). */
        readonly 'created[lte]'?: string;
        /** @description ISO 4217, in capitals. */
        readonly currency?: string;
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description The reference or the e-mail address of their customer. Payments keep keyed hashes of both, so it has to be the whole of it; capital letters count in a reference. */
        readonly customer?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
        /** @description With these pairs in their metadata: `metadata[table]=7`. At most 5. */
        readonly metadata?: {
          readonly [key: string]: string;
        };
        /** @description The order that they are for. */
        readonly order?: string;
        /** @description A PSP account's name. */
        readonly psp?: string;
        /** @description Your own name for it. Need not be unique. */
        readonly reference?: string;
        readonly status?:
          | 'processing'
          | 'requires_action'
          | 'authorized'
          | 'captured'
          | 'partially_refunded'
          | 'refunded'
          | 'canceled'
          | 'failed';
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['PaymentPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly createPayment: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description A new one for each new request, a UUID for instance; bare or as a quoted string of RFC 8941. */
        readonly 'Idempotency-Key': string;
        /** @description How long you wait for the outcome, in ms. After that no other PSP is tried; an outcome that is not known by then is answered 202. Default: 25,000. */
        readonly 'Payonce-Deadline'?: number;
        /** @description `wait=<seconds>`: wait for the first request with this key, instead of a 409. At most 60. */
        readonly Prefer?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['PaymentRequest'];
      };
    };
    readonly responses: {
      /** @description The outcome is known. A declined payment is created too: `status` is `failed` and `failure` says why. */
      readonly 201: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /** @description The outcome is not known yet. `processing`: the service keeps working on it; send the request again with the same Idempotency-Key, or read the payment. `requires_action`: it waits for the customer, and `next_action` says where to send them. */
      readonly 202: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /**
       * @description `body_malformed`: The body is not readable JSON.
       *
       *     `idempotency_key_missing`: An Idempotency-Key header is required.
       *
       *     `idempotency_key_invalid`: The Idempotency-Key header is not valid.
       */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `probable_duplicate`: There is another payment just like this one.
       *
       *     `order_paid`: The order is paid.
       *
       *     `order_in_doubt`: Another payment of the order is not decided yet.
       *
       *     `order_changed`: The order stands with another amount or currency.
       *
       *     `amount_exceeds_order`: The amount is larger than what is left to pay of the order.
       *
       *     `request_in_progress`: A request with this Idempotency-Key is still running.
       */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `no_route`: No PSP can take this payment.
       *
       *     `psp_account_refused`: A PSP account is named that is not for this merchant.
       *
       *     `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       *
       *     `idempotency_key_reused`: The Idempotency-Key was used for another request.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `commits_may_be_lost`: The database may have lost commits; this is not sent before a person has compared.
       *
       *     `overloaded`: The service cannot take this request now.
       */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getPayment: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the payment. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The payment. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listAttempts: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the payment. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Every attempt of the payment. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['AttemptPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly cancelPayment: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description A new one for each new request, a UUID for instance; bare or as a quoted string of RFC 8941. */
        readonly 'Idempotency-Key': string;
        /** @description How long you wait for the outcome, in ms. After that no other PSP is tried; an outcome that is not known by then is answered 202. Default: 25,000. */
        readonly 'Payonce-Deadline'?: number;
        /** @description `wait=<seconds>`: wait for the first request with this key, instead of a 409. At most 60. */
        readonly Prefer?: string;
      };
      readonly path: {
        /** @description The id of the payment. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['CancelRequest'];
      };
    };
    readonly responses: {
      /** @description The outcome is known. A declined payment is created too: `status` is `failed` and `failure` says why. */
      readonly 200: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /** @description The outcome is not known yet. `processing`: the service keeps working on it; send the request again with the same Idempotency-Key, or read the payment. `requires_action`: it waits for the customer, and `next_action` says where to send them. */
      readonly 202: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /**
       * @description `body_malformed`: The body is not readable JSON.
       *
       *     `idempotency_key_missing`: An Idempotency-Key header is required.
       *
       *     `idempotency_key_invalid`: The Idempotency-Key header is not valid.
       */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `invalid_state`: The state of the object does not allow this.
       *
       *     `too_many_operations`: The payment has had as many operations as one may have.
       *
       *     `psp_account_changed`: The PSP account that holds the payment is not configured any more.
       *
       *     `request_in_progress`: A request with this Idempotency-Key is still running.
       */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       *
       *     `idempotency_key_reused`: The Idempotency-Key was used for another request.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly capturePayment: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description A new one for each new request, a UUID for instance; bare or as a quoted string of RFC 8941. */
        readonly 'Idempotency-Key': string;
        /** @description How long you wait for the outcome, in ms. After that no other PSP is tried; an outcome that is not known by then is answered 202. Default: 25,000. */
        readonly 'Payonce-Deadline'?: number;
        /** @description `wait=<seconds>`: wait for the first request with this key, instead of a 409. At most 60. */
        readonly Prefer?: string;
      };
      readonly path: {
        /** @description The id of the payment. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['CaptureRequest'];
      };
    };
    readonly responses: {
      /** @description The outcome is known. A declined payment is created too: `status` is `failed` and `failure` says why. */
      readonly 200: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /** @description The outcome is not known yet. `processing`: the service keeps working on it; send the request again with the same Idempotency-Key, or read the payment. `requires_action`: it waits for the customer, and `next_action` says where to send them. */
      readonly 202: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /**
       * @description `body_malformed`: The body is not readable JSON.
       *
       *     `idempotency_key_missing`: An Idempotency-Key header is required.
       *
       *     `idempotency_key_invalid`: The Idempotency-Key header is not valid.
       */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `invalid_state`: The state of the object does not allow this.
       *
       *     `capture_in_parts_unsupported`: The PSP captures an authorization once.
       *
       *     `amount_exceeds_authorized`: The amount is larger than what was authorized.
       *
       *     `too_many_operations`: The payment has had as many operations as one may have.
       *
       *     `psp_account_changed`: The PSP account that holds the payment is not configured any more.
       *
       *     `request_in_progress`: A request with this Idempotency-Key is still running.
       */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       *
       *     `idempotency_key_reused`: The Idempotency-Key was used for another request.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listCaptures: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the payment. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['CapturePage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly completePayment: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description A new one for each new request, a UUID for instance; bare or as a quoted string of RFC 8941. */
        readonly 'Idempotency-Key': string;
        /** @description How long you wait for the outcome, in ms. After that no other PSP is tried; an outcome that is not known by then is answered 202. Default: 25,000. */
        readonly 'Payonce-Deadline'?: number;
        /** @description `wait=<seconds>`: wait for the first request with this key, instead of a 409. At most 60. */
        readonly Prefer?: string;
      };
      readonly path: {
        /** @description The id of the payment. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['CompleteRequest'];
      };
    };
    readonly responses: {
      /** @description The outcome is known. A declined payment is created too: `status` is `failed` and `failure` says why. */
      readonly 200: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /** @description The outcome is not known yet, or the customer has to act once more. */
      readonly 202: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payment'];
        };
      };
      /**
       * @description `body_malformed`: The body is not readable JSON.
       *
       *     `idempotency_key_missing`: An Idempotency-Key header is required.
       *
       *     `idempotency_key_invalid`: The Idempotency-Key header is not valid.
       */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `invalid_state`: The state of the object does not allow this.
       *
       *     `request_in_progress`: A request with this Idempotency-Key is still running.
       */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `details_refused`: The PSP did not take these details.
       *
       *     `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       *
       *     `idempotency_key_reused`: The Idempotency-Key was used for another request.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listRefunds: {
    readonly parameters: {
      readonly query?: {
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        /** @description The id of the payment. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['RefundPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly refundPayment: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description A new one for each new request, a UUID for instance; bare or as a quoted string of RFC 8941. */
        readonly 'Idempotency-Key': string;
        /** @description How long you wait for the outcome, in ms. After that no other PSP is tried; an outcome that is not known by then is answered 202. Default: 25,000. */
        readonly 'Payonce-Deadline'?: number;
        /** @description `wait=<seconds>`: wait for the first request with this key, instead of a 409. At most 60. */
        readonly Prefer?: string;
      };
      readonly path: {
        /** @description The id of the payment. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['RefundRequest'];
      };
    };
    readonly responses: {
      /** @description Another request had made this refund, and its outcome is final. */
      readonly 200: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Refund'];
        };
      };
      /** @description This request made the refund, and its outcome is final: `succeeded` or `failed`. */
      readonly 201: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Refund'];
        };
      };
      /** @description The outcome is not known yet. The service keeps working on it; send the request again with the same Idempotency-Key, or read the refund. */
      readonly 202: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Refund'];
        };
      };
      /**
       * @description `body_malformed`: The body is not readable JSON.
       *
       *     `idempotency_key_missing`: An Idempotency-Key header is required.
       *
       *     `idempotency_key_invalid`: The Idempotency-Key header is not valid.
       */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `invalid_state`: The state of the object does not allow this.
       *
       *     `amount_exceeds_refundable`: The amount is larger than what can still be refunded.
       *
       *     `refund_exists`: There is another refund of this name.
       *
       *     `refund_reversed`: The refund of this name failed after the PSP had done it.
       *
       *     `too_many_operations`: The payment has had as many operations as one may have.
       *
       *     `payment_disputed`: What is to be refunded is disputed.
       *
       *     `psp_account_changed`: The PSP account that holds the payment is not configured any more.
       *
       *     `request_in_progress`: A request with this Idempotency-Key is still running.
       */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       *
       *     `idempotency_key_reused`: The Idempotency-Key was used for another request.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listPayouts: {
    readonly parameters: {
      readonly query?: {
        /** @description Created at this time or later (RFC 3339). */
        readonly 'created[gte]'?: string;
        /** @description Created at this time or earlier (RFC 3339). */
        readonly 'created[lte]'?: string;
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
        /** @description A PSP account's name. */
        readonly psp?: string;
        /** @description The recipient's reference. */
        readonly recipient?: string;
        /** @description Your own name for it. Need not be unique. */
        readonly reference?: string;
        readonly status?: 'processing' | 'paid' | 'failed' | 'returned';
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['PayoutPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly createPayout: {
    readonly parameters: {
      readonly query?: never;
      readonly header: {
        /** @description A new one for each new request, a UUID for instance; bare or as a quoted string of RFC 8941. */
        readonly 'Idempotency-Key': string;
        /** @description How long you wait for the outcome, in ms. After that no other PSP is tried; an outcome that is not known by then is answered 202. Default: 25,000. */
        readonly 'Payonce-Deadline'?: number;
        /** @description `wait=<seconds>`: wait for the first request with this key, instead of a 409. At most 60. */
        readonly Prefer?: string;
      };
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['PayoutRequest'];
      };
    };
    readonly responses: {
      /** @description The payout has ended: `paid`, or `failed` with nothing paid and `failure` saying why. */
      readonly 201: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payout'];
        };
      };
      /** @description The outcome is not known yet. The service keeps working on it; send the request again with the same Idempotency-Key, or read the payout. */
      readonly 202: {
        headers: {
          readonly 'Idempotent-Replayed': components['headers']['IdempotentReplayed'];
          readonly Location: components['headers']['Location'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payout'];
        };
      };
      /**
       * @description `body_malformed`: The body is not readable JSON.
       *
       *     `idempotency_key_missing`: An Idempotency-Key header is required.
       *
       *     `idempotency_key_invalid`: The Idempotency-Key header is not valid.
       */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `payout_in_progress`: A payout to this recipient has not ended yet.
       *
       *     `payout_sequence_stale`: previous is not the last payout to this recipient that ended.
       *
       *     `payout_limit_exceeded`: The payout is more than the merchant may pay out in a day.
       *
       *     `recipient_not_registered`: The merchant has not registered this recipient with these tokens.
       *
       *     `recipient_not_approved`: Nobody has approved this recipient yet.
       *
       *     `request_in_progress`: A request with this Idempotency-Key is still running.
       */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `no_route`: No PSP can take this payment.
       *
       *     `psp_account_refused`: A PSP account is named that is not for this merchant.
       *
       *     `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       *
       *     `idempotency_key_reused`: The Idempotency-Key was used for another request.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `commits_may_be_lost`: The database may have lost commits; this is not sent before a person has compared.
       *
       *     `overloaded`: The service cannot take this request now.
       */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getPayout: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the payout. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The payout. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Payout'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listRecipients: {
    readonly parameters: {
      readonly query?: {
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
        /** @description Your own name for it. Need not be unique. */
        readonly reference?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['RecipientPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly registerRecipient: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['RecipientRequest'];
      };
    };
    readonly responses: {
      /** @description The recipient as it is now. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['RegisteredRecipient'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getRecipient: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the recipient. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The recipient. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['RegisteredRecipient'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly removeRecipient: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the recipient. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['NothingRequest'];
      };
    };
    readonly responses: {
      /** @description The recipient, removed. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['RegisteredRecipient'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listAllRefunds: {
    readonly parameters: {
      readonly query?: {
        /** @description Created at this time or later (RFC 3339). */
        readonly 'created[gte]'?: string;
        /** @description Created at this time or earlier (RFC 3339). */
        readonly 'created[lte]'?: string;
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
        /** @description Names it among several of the payment. A request with the same reference, under whatever Idempotency-Key, is answered with the first and moves no money. Without a reference there is one. */
        readonly reference?: string;
        readonly status?: 'pending' | 'succeeded' | 'failed';
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['RefundPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getRefund: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the refund. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The refund. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Refund'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listWebhookEndpoints: {
    readonly parameters: {
      readonly query?: {
        /** @description `next_cursor` of the page before. */
        readonly cursor?: string;
        /** @description How many at most on a page. */
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description A page. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['WebhookEndpointPage'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly createWebhookEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['WebhookEndpointRequest'];
      };
    };
    readonly responses: {
      /** @description The endpoint with its secret. */
      readonly 201: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['WebhookEndpointWithSecret'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `webhook_endpoint_limit`: No more webhook endpoints can be enabled. */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `webhook_target_refused`: Events are not sent to this address.
       *
       *     `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getWebhookEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the webhook endpoint. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description The endpoint. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['WebhookEndpoint'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly disableWebhookEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the webhook endpoint. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['NothingRequest'];
      };
    };
    readonly responses: {
      /** @description The endpoint, disabled. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['WebhookEndpoint'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly enableWebhookEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the webhook endpoint. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['NothingRequest'];
      };
    };
    readonly responses: {
      /** @description The endpoint, enabled. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['WebhookEndpoint'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `webhook_endpoint_limit`: No more webhook endpoints can be enabled. */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `webhook_target_refused`: Events are not sent to this address.
       *
       *     `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly pingWebhookEndpoint: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the webhook endpoint. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['NothingRequest'];
      };
    };
    readonly responses: {
      /** @description The event that is sent. */
      readonly 202: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Event'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_state`: The state of the object does not allow this. */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly replayWebhookRange: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the webhook endpoint. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['RangeReplayRequest'];
      };
    };
    readonly responses: {
      /** @description The events are on their way. */
      readonly 202: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Replay'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_state`: The state of the object does not allow this. */
      readonly 409: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `replay_too_large`: Too many events to replay at once.
       *
       *     `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly rotateWebhookSecret: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The id of the webhook endpoint. An id that is not a UUID is answered 404. */
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': components['schemas']['NothingRequest'];
      };
    };
    readonly responses: {
      /** @description The endpoint with its new secret. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['WebhookEndpointWithSecret'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unauthorized`: Credentials are missing or not valid. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `forbidden`: These credentials may not do this. */
      readonly 403: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `validation_failed`: The request is not valid.
       *
       *     `card_number_refused`: A card number was sent; only PSP tokens are accepted.
       */
      readonly 422: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `rate_limited`: Too many requests. */
      readonly 429: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly receiveNotification: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        /** @description The name of the account in the PSPs file. */
        readonly psp: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': components['schemas']['Notification'];
      };
    };
    readonly responses: {
      /** @description At least one item was accepted; Adyen reads `notificationResponse`. */
      readonly 200: {
        headers: {
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Accepted'];
        };
      };
      /** @description `body_malformed`: The body is not readable JSON. */
      readonly 400: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `signature_invalid`: The notification is not signed with a secret of this account. */
      readonly 401: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'WWW-Authenticate': components['headers']['WwwAuthenticate'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: No such object. */
      readonly 404: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `body_too_large`: The body is too large. */
      readonly 413: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: The body must be application/json. */
      readonly 415: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: Something went wrong on our side. */
      readonly 500: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `overloaded`: The service cannot take this request now. */
      readonly 503: {
        headers: {
          readonly Link: components['headers']['Help'];
          readonly 'Request-Id': components['headers']['RequestId'];
          readonly 'Retry-After': components['headers']['RetryAfter'];
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
}
