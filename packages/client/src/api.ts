import { type components, type paths } from './api-types.js';

/** What the OpenAPI document says of a path, picked out of the generated types. */

type Schemas = components['schemas'];
export type Payment = Schemas['Payment'];
export type PaymentRequest = Schemas['PaymentRequest'];
export type Capture = Schemas['Capture'];
export type CaptureRequest = Schemas['CaptureRequest'];
export type CompleteRequest = Schemas['CompleteRequest'];
export type CancelRequest = Schemas['CancelRequest'];
export type Attempt = Schemas['Attempt'];
export type Refund = Schemas['Refund'];
export type RefundRequest = Schemas['RefundRequest'];
export type Order = Schemas['Order'];
export type OrderDetails = Schemas['OrderDetails'];
export type PaymentOrder = Schemas['PaymentOrder'];
export type Payout = Schemas['Payout'];
export type PayoutRequest = Schemas['PayoutRequest'];
export type Dispute = Schemas['Dispute'];
export type WebhookEndpoint = Schemas['WebhookEndpoint'];
export type WebhookEndpointRequest = Schemas['WebhookEndpointRequest'];
export type WebhookEndpointWithSecret = Schemas['WebhookEndpointWithSecret'];
export type WebhookDelivery = Schemas['WebhookDelivery'];
export type EventReplayRequest = Schemas['EventReplayRequest'];
export type RangeReplayRequest = Schemas['RangeReplayRequest'];
export type Replay = Schemas['Replay'];
export type Recipient = Schemas['RegisteredRecipient'];
export type RecipientRequest = Schemas['RecipientRequest'];
export type EventType = Schemas['Event']['type'];

interface EventOf<Type, Data> extends Omit<Schemas['Event'], 'type' | 'data'> {
  readonly type: Type;
  /** The object as the API showed it then. */
  readonly data: Data;
}

/** What a webhook brings and what `events` lists. Types that are not here may come: ignore them. */
export type PayonceEvent =
  | EventOf<Extract<EventType, `payment.${string}`>, Payment>
  | EventOf<Extract<EventType, `refund.${string}`>, Refund>
  | EventOf<Extract<EventType, `dispute.${string}`>, Dispute>
  | EventOf<Extract<EventType, `order.${string}`>, Order>
  | EventOf<Extract<EventType, `payout.${string}`>, Payout>
  | EventOf<'ping', WebhookEndpoint>;

export type Problem = Schemas['Problem'];
export type ProblemCode = Problem['code'];

export type Method = 'get' | 'post';

/** The paths that take this method. A path that is not in the document does not compile. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends Readonly<Record<M, object>> ? P : never;
}[keyof paths];

type OperationOf<M extends Method, P extends PathOf<M>> =
  paths[P] extends Readonly<Record<M, infer Operation>> ? Operation : never;

type ParametersOf<Operation> = Operation extends { readonly parameters: infer Parameters }
  ? Parameters
  : never;

type PathParameters<Operation> =
  ParametersOf<Operation> extends { readonly path: infer Path extends object }
    ? { readonly path: Path }
    : { readonly path?: never };

type Query<Operation> =
  ParametersOf<Operation> extends { readonly query?: infer Q extends object }
    ? { readonly query?: Q }
    : { readonly query?: never };

type Body<Operation> = Operation extends {
  readonly requestBody: { readonly content: { readonly 'application/json': infer B } };
}
  ? { readonly body: B }
  : Operation extends {
        readonly requestBody?: { readonly content: { readonly 'application/json': infer B } };
      }
    ? { readonly body?: B | undefined }
    : { readonly body?: never };

/** What a request to this path is made of: the parameters in the path, the query, the body. */
export type Asked<M extends Method, P extends PathOf<M>> = PathParameters<OperationOf<M, P>> &
  Query<OperationOf<M, P>> &
  Body<OperationOf<M, P>>;

type ResponsesOf<Operation> = Operation extends { readonly responses: infer Responses } ? Responses : never;

type JsonOf<Response> = Response extends { content: { readonly 'application/json': infer Json } }
  ? Json
  : never;

/** The JSON that this path answers with one of these statuses; never where it has none of them. */
export type Answered<M extends Method, P extends PathOf<M>, Status extends number> = JsonOf<
  ResponsesOf<OperationOf<M, P>>[keyof ResponsesOf<OperationOf<M, P>> & Status]
>;

export interface Page<Item> {
  readonly data: readonly Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** The paths that answer with a page of a list. */
export type ListPath = {
  [P in PathOf<'get'>]: Answered<'get', P, 200> extends Page<unknown> ? P : never;
}[PathOf<'get'>];

export type ItemOf<P extends ListPath> = Answered<'get', P, 200> extends Page<infer Item> ? Item : never;
