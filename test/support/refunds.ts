import { type RefundView } from '../../src/refunds/refund.view.js';
import { codeOf, type Reply, type ApiClient } from './test-environment.js';

export interface RefundBody {
  readonly amount?: number;
  readonly reference?: string;
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

export function refundOf({ status, text }: Reply): RefundView {
  if (status >= 300) throw new Error(`no refund: ${status} ${text}`);
  return JSON.parse(text) as RefundView;
}

/** A hundred at once on one payment wait for each other, and a busy machine makes that long. */
const PATIENCE_MS = 90_000;

/** Asks for a refund with one key until it is made or refused. */
export function refunded(
  client: ApiClient,
  paymentId: string,
  body: RefundBody,
  key: string,
): Promise<Reply> {
  const stays = (reply: Reply) =>
    reply.status !== 202 &&
    reply.status !== 503 &&
    !(reply.status === 409 && codeOf(reply) === 'request_in_progress');
  return client.until(() => client.post(`/v1/payments/${paymentId}/refunds`, body, key), stays, PATIENCE_MS);
}
