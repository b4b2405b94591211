import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';

/** Shapes of JSON that others write, as JSON Schema, and a type guard for each. */

export type Schema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

// The schemas are ours: to check them by the schema of schemas would cost each start a tenth of a second.
const ajv = new Ajv({ allErrors: true, meta: false, validateSchema: false });

export interface Shape<T> {
  fits(value: unknown): value is T;
  /** Why a value does not fit. */
  faultsOf(value: unknown): readonly ErrorObject[];
}

/** Compiled when it is first used: a process that hears nothing of a PSP pays nothing for it. */
export function shape<T>(schema: Schema): Shape<T> {
  let compiled: ValidateFunction<T> | undefined;
  const check = () => (compiled ??= ajv.compile<T>(schema));
  return {
    fits: (value): value is T => check()(value),
    faultsOf: (value) => (check()(value) ? [] : (check().errors ?? [])),
  };
}

/** An object with these properties; others may stand beside them. */
export function object(required: Properties, optional: Properties = {}): Schema {
  return {
    type: 'object',
    required: Object.keys(required),
    properties: { ...required, ...optional },
  };
}

/** An object with these properties and no others. */
export function strictObject(required: Properties, optional: Properties = {}): Schema {
  return { ...object(required, optional), additionalProperties: false };
}

export function list(
  items: Schema,
  bounds: { readonly minItems?: number; readonly maxItems?: number },
): Schema {
  return { type: 'array', items, ...bounds };
}

export function nullable(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

export const anything: Schema = {};
export const text: Schema = { type: 'string' };
export const integer: Schema = { type: 'integer' };
export const flag: Schema = { type: 'boolean' };
export const matching = (pattern: string): Schema => ({ type: 'string', pattern });
