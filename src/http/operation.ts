import { type ProblemCode } from '../core/problem.js';
import { type Scope } from '../merchants/caller.js';

/** An operation of version 1 or for operators, as the OpenAPI document tells it. */
export interface Operation {
  readonly method: 'get' | 'post';
  /** As OpenAPI writes it: `/v1/payments/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly tag:
    | 'Payments'
    | 'Refunds'
    | 'Payouts'
    | 'Webhooks'
    | 'Events'
    | 'Notifications'
    | 'Dead letters'
    | 'Operations';
  readonly summary: string;
  readonly description: string;
  readonly scope?: Scope;
  /** Another scope that will do as well. */
  readonly or?: Scope;
  readonly movesMoney?: boolean;
  /** It takes the operators' token and no API key. */
  readonly operator?: true;
  /** The DTO of its query string. */
  readonly query?: new () => object;
  readonly body?: { readonly schema: string; readonly required: boolean; readonly examples: Examples };
  readonly answers: readonly Answer[];
  readonly problems: readonly ProblemCode[];
}

type Examples = Readonly<Record<string, object>>;

export interface Answer {
  readonly status: number;
  readonly description: string;
  /** Name of a schema, or null for text. */
  readonly schema: string | null;
  readonly examples: Examples;
}

/** Problems that every operation can have, every body, and every POST that moves money. */
export const everywhere: readonly ProblemCode[] = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'overloaded',
  'internal_error',
];
export const withBody: readonly ProblemCode[] = [
  'body_malformed',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
  'card_number_refused',
];
export const withKey: readonly ProblemCode[] = [
  'idempotency_key_missing',
  'idempotency_key_invalid',
  'idempotency_key_reused',
  'request_in_progress',
];
