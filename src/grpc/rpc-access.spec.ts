import 'reflect-metadata';
import { PaymentsGrpc } from '../payments/payments.grpc.js';
import { OrdersGrpc } from '../orders/orders.grpc.js';
import { PayoutsGrpc } from '../payouts/payouts.grpc.js';
import { RefundsGrpc } from '../refunds/refunds.grpc.js';
import { EventsGrpc } from '../events/events.grpc.js';
import { WebhookEndpointsGrpc } from '../events/webhook-endpoints.grpc.js';
import { RecipientsGrpc } from '../payouts/recipients.grpc.js';
import { RPC, type Rpc } from './grpc.decorators.js';

const controllers: readonly { readonly prototype: object }[] = [
  PaymentsGrpc,
  RefundsGrpc,
  OrdersGrpc,
  PayoutsGrpc,
  EventsGrpc,
  RecipientsGrpc,
  WebhookEndpointsGrpc,
];
const rpcs = controllers.flatMap(({ prototype }) =>
  Object.values(Object.getOwnPropertyDescriptors(prototype)).flatMap(({ value }) => {
    const rpc = Reflect.getMetadata(RPC, value as object) as Rpc | undefined;
    return rpc ? [rpc] : [];
  }),
);

/** One scope too many lets an API key do what its owner never allowed. The REST routes have theirs in openapi.spec. */
test('every gRPC method asks for its scope, and those that move money for an idempotency key', () => {
  const asked = rpcs.map(({ path, access: { scopes, movesMoney } }) => [
    path.replace('/payonce.v1.', ''),
    `${scopes.join(' or ')}${movesMoney ? ', idempotency key' : ''}`,
  ]);
  expect(Object.fromEntries(asked)).toEqual({
    'Payments/Create': 'payments:write, idempotency key',
    'Payments/Capture': 'payments:write, idempotency key',
    'Payments/Complete': 'payments:write, idempotency key',
    'Payments/Cancel': 'payments:write, idempotency key',
    'Payments/Get': 'payments:read',
    'Payments/List': 'payments:read',
    'Payments/ListAttempts': 'payments:read',
    'Payments/ListCaptures': 'payments:read',
    'Payments/ListDisputes': 'payments:read',
    'Payments/Watch': 'payments:read',
    'Refunds/Create': 'payments:write, idempotency key',
    'Refunds/Get': 'payments:read',
    'Refunds/List': 'payments:read',
    'Refunds/ListAll': 'payments:read',
    'Orders/Get': 'payments:read',
    'Orders/List': 'payments:read',
    'Payouts/Create': 'payouts:write, idempotency key',
    'Payouts/Get': 'payments:read or payouts:write',
    'Payouts/List': 'payments:read or payouts:write',
    'Events/List': 'events:read',
    'Events/Get': 'events:read',
    'Events/ListDeliveries': 'events:read',
    'Events/Replay': 'webhooks:write',
    'Recipients/Register': 'recipients:write',
    'Recipients/Get': 'recipients:write',
    'Recipients/List': 'recipients:write',
    'Recipients/Remove': 'recipients:write',
    'WebhookEndpoints/Create': 'webhooks:write',
    'WebhookEndpoints/Get': 'webhooks:read',
    'WebhookEndpoints/List': 'webhooks:read',
    'WebhookEndpoints/RotateSecret': 'webhooks:write',
    'WebhookEndpoints/Enable': 'webhooks:write',
    'WebhookEndpoints/Disable': 'webhooks:write',
    'WebhookEndpoints/Ping': 'webhooks:write',
    'WebhookEndpoints/Replay': 'webhooks:write',
  });
});
