import protobuf from 'protobufjs';

/** Between the JSON of REST and the messages of payonce.v1, by what the protos say of each field. */

type Json = Readonly<Record<string, unknown>>;

/** What the JSON holds and no message can: the service is not asked. */
export class NotInTheProtos extends Error {
  constructor(
    private readonly pointer: string,
    private readonly fault: string,
  ) {
    super(`${pointer} ${fault}`);
  }

  /** As the service answers it by REST. */
  problem(): object {
    const errors = [{ pointer: this.pointer, message: this.fault }];
    return { code: 'validation_failed', title: '', status: 422, detail: 'The request does not fit.', errors };
  }
}

export function messageOf(type: protobuf.Type, json: Json, path = ''): Record<string, unknown> {
  const message: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(json)) {
    const field = type.fields[name]?.resolve();
    const pointer = `${path}/${name}`;
    if (value === undefined || value === null) continue;
    if (field === undefined) throw new NotInTheProtos(pointer, 'is not a known field');
    message[name] = field instanceof protobuf.MapField ? value : sent(field, value, pointer);
  }
  return message;
}

function sent(
  { resolvedType: type, type: scalar }: protobuf.Field,
  value: unknown,
  pointer: string,
): unknown {
  if (type instanceof protobuf.Enum) {
    // A word that the enum does not have is left to the service to refuse: left out, it would mean another thing.
    return type.values[`${prefixOf(type)}_${String(value).toUpperCase()}`] ?? -1;
  }
  if (type instanceof protobuf.Type) {
    if (type.fullName === '.google.protobuf.Timestamp') return timestampOf(String(value), pointer);
    if (type.fullName === '.google.protobuf.Struct') return structOf(value as Json);
    return messageOf(type, value as Json, pointer);
  }
  if (scalar.startsWith('int') && !Number.isSafeInteger(value))
    throw new NotInTheProtos(pointer, 'must be an integer');
  return value;
}

/** An absent field is null, as REST shows it; an absent flag stays away. */
export function restOf(type: protobuf.Type, message: protobuf.Message): Record<string, unknown> {
  const fields = type.toObject(message, { longs: Number, enums: String, defaults: true });
  return shownAs(type, fields);
}

function shownAs(type: protobuf.Type, fields: Json): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  for (const field of type.fieldsArray) {
    const value = fields[field.name];
    const { resolvedType } = field.resolve();
    const isAbsent = value === undefined || value === null;
    if (isAbsent && field.type === 'bool') continue;
    if (field.repeated) json[field.name] = (value as unknown[]).map((item) => shown(resolvedType, item));
    else json[field.name] = isAbsent ? null : shown(resolvedType, value);
  }
  const object = objects[type.name.replace('Details', '')];
  if (object !== undefined) json['object'] = object;
  if (type.name !== 'WebhookEndpoint') return json;
  // None are all, and a secret is shown once.
  const { events, secret, ...endpoint } = json as { events: readonly string[]; secret: string | null };
  return {
    ...endpoint,
    events: events.length === 0 ? null : events,
    ...(secret === null ? {} : { secret }),
  };
}

/** The name that REST gives to each object, by the name of its message. */
const objects: Readonly<Record<string, string>> = {
  Payment: 'payment',
  Capture: 'capture',
  Refund: 'refund',
  Order: 'order',
  Payout: 'payout',
  Event: 'event',
  Dispute: 'dispute',
  RegisteredRecipient: 'recipient',
  WebhookEndpoint: 'webhook_endpoint',
  Delivery: 'webhook_delivery',
};

function shown(type: protobuf.ReflectionObject | null, value: unknown): unknown {
  if (type instanceof protobuf.Enum)
    return String(value)
      .slice(prefixOf(type).length + 1)
      .toLowerCase();
  if (!(type instanceof protobuf.Type)) return value;
  if (type.fullName === '.google.protobuf.Timestamp') return timeOf(value as Timestamp);
  if (type.fullName === '.google.protobuf.Struct') return objectOf(value as Json);
  const json = shownAs(type, value as Json);
  return type.name === 'NextAction' ? actionOf(json) : json;
}

function actionOf({ redirect, psp_sdk: sdk }: Json): Json | null {
  if (redirect) return { type: 'redirect', ...redirect };
  return sdk ? { type: 'psp_sdk', ...sdk } : null;
}

/** `PaymentStatus` has values that begin with `PAYMENT_STATUS`. */
function prefixOf({ name }: protobuf.Enum): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toUpperCase();
}

interface Timestamp {
  readonly seconds: number;
  readonly nanos: number;
}

function timestampOf(iso: string, pointer: string): Timestamp {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) throw new NotInTheProtos(pointer, 'must be an RFC 3339 time');
  const seconds = Math.floor(ms / 1_000);
  return { seconds, nanos: (ms - seconds * 1_000) * 1_000_000 };
}

function timeOf({ seconds, nanos }: Timestamp): string {
  return new Date(seconds * 1_000 + nanos / 1_000_000).toISOString();
}

function structOf(object: Json): object {
  const fields = Object.entries(object).map(([name, value]) => [name, valueOf(value)]);
  return { fields: Object.fromEntries(fields) };
}

function valueOf(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { numberValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (Array.isArray(value)) return { listValue: { values: value.map(valueOf) } };
  return typeof value === 'object' && value !== null
    ? { structValue: structOf(value as Json) }
    : { nullValue: 0 };
}

function objectOf({ fields = {} }: { fields?: Json }): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainOf(value as Json)]));
}

function plainOf({ structValue, listValue, stringValue, numberValue, boolValue }: Json): unknown {
  if (structValue !== undefined) return objectOf(structValue as { fields?: Json });
  if (listValue !== undefined) return ((listValue as { values?: Json[] }).values ?? []).map(plainOf);
  return stringValue ?? numberValue ?? boolValue ?? null;
}
