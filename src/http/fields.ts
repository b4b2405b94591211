import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { ValidateBy, ValidateIf, ValidateNested } from 'class-validator';

/**
 * The fields of DTO classes. Each decorator declares a field once, for class-validator and for the OpenAPI
 * document, and each looks at a text's length before any pattern or format sees it: the decorators of
 * class-validator run all of theirs, so that a pattern would meet a text of 260 kB. Where a field has
 * members of its own (a map, a list), the fault names its place.
 */

type Json = Readonly<Record<string, unknown>>;
type Class = new () => object;

/** A fault within a field: where, as steps from the field on, and what. */
export interface FieldFault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A field as the request pipe knows it. */
interface Field {
  readonly required: boolean;
  /** The class of an object that fits `faultsOf`; null for any other value. */
  readonly nested: ((value: unknown) => Class | null) | null;
  /** The classes that `nested` may name. */
  readonly classes: readonly Class[];
  /** The type of its JSON Schema; undefined for an object with a class of its own. */
  readonly type: unknown;
  readonly faultsOf: (value: unknown) => readonly FieldFault[];
}

/** The rules for any field; `undefined` passes if it is optional, null if it is nullable. */
interface Common {
  readonly optional?: boolean;
  readonly description?: string;
  readonly default?: unknown;
}

export interface TextRule {
  readonly minLength?: number;
  /** In characters, which are one or two units of a string each. */
  readonly maxLength: number;
  readonly pattern?: string;
  /** The message of a text that does not fit. */
  readonly message: string;
}

const FIELDS = Symbol('fields');

/** The fields of a class and of those that it extends, by name. */
export function fieldsOf(type: new () => object): ReadonlyMap<string, Field> {
  return (Reflect.getMetadata(FIELDS, type.prototype as object) ?? new Map()) as ReadonlyMap<string, Field>;
}

function field(
  { optional = false, description, default: byDefault }: Common,
  {
    message,
    nested = null,
    classes = [],
    ...rule
  }: { schema: Json; message?: string } & Partial<Pick<Field, 'nested' | 'classes'>>,
  faultsOf: (value: unknown) => readonly FieldFault[],
): PropertyDecorator {
  const schema = {
    ...rule.schema,
    ...(byDefault === undefined ? {} : { default: byDefault }),
    ...(description === undefined ? {} : { description }),
  };
  return (target, name) => {
    const known = Reflect.getMetadata(FIELDS, target) as ReadonlyMap<string, Field> | undefined;
    const fields = new Map(known).set(String(name), {
      required: !optional,
      nested,
      classes,
      type: rule.schema['type'],
      faultsOf,
    });
    Reflect.defineMetadata(FIELDS, fields, target);
    if (classes.length > 0) ApiExtraModels(...classes)(target.constructor);
    applyDecorators(
      ApiProperty({ ...schema, required: !optional }),
      ValidateBy(
        { name: 'fits', validator: { validate: (value) => faultsOf(value).length === 0 } },
        { message: message ?? 'does not fit', context: { faultsOf } },
      ),
      ...(optional ? [ValidateIf((_object, value) => value !== undefined)] : []),
      ...(nested ? [ValidateNested()] : []),
    )(target, name);
  };
}

const none: readonly FieldFault[] = [];
const fault = (message: string): readonly FieldFault[] => [{ path: [], message }];

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A function that says whether a value is a text that the rule allows. */
function fitting(
  { minLength = 0, maxLength, pattern }: TextRule,
  is: (text: string) => boolean = () => true,
) {
  const regex = pattern === undefined ? null : new RegExp(pattern, 'u');
  return (value: unknown): value is string =>
    typeof value === 'string' &&
    value.length >= minLength &&
    value.length <= 2 * maxLength &&
    (value.length <= maxLength || Array.from(value).length <= maxLength) &&
    (regex === null || regex.test(value)) &&
    is(value);
}

/** `format` names in the document what `is` checks. */
export function IsText({
  message,
  nullable = false,
  format,
  is,
  optional,
  description,
  default: byDefault,
  ...rule
}: TextRule &
  Common & { nullable?: boolean; format?: string; is?: (text: string) => boolean }): PropertyDecorator {
  const fits = fitting({ ...rule, message }, is);
  return field(
    { ...common({ optional, description }), default: byDefault },
    {
      schema: {
        type: 'string',
        ...(nullable ? { nullable } : {}),
        ...(format === undefined ? {} : { format }),
        ...rule,
      },
      message,
    },
    (value) => (fits(value) || (nullable && value === null) ? none : fault(message)),
  );
}

export function IsWholeNumber({
  minimum,
  maximum,
  ...options
}: Common & { readonly minimum: number; readonly maximum: number }): PropertyDecorator {
  const message = `must be an integer from ${minimum} to ${maximum}`;
  return field(options, { schema: { type: 'integer', minimum, maximum }, message }, (value) =>
    Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum
      ? none
      : fault(message),
  );
}

export function IsFlag(options: Common): PropertyDecorator {
  const message = 'must be boolean';
  return field(options, { schema: { type: 'boolean' }, message }, (value) =>
    typeof value === 'boolean' ? none : fault(message),
  );
}

/** For what no client asks for by accident. */
export function IsTrue(options: Common): PropertyDecorator {
  const message = 'must be true or be left out';
  return field(options, { schema: { type: 'boolean', enum: [true] }, message }, (value) =>
    value === true ? none : fault(message),
  );
}

export function IsOneOf(values: readonly string[], options: Common = {}): PropertyDecorator {
  const message = oneOf(values);
  return field(options, { schema: { type: 'string', enum: [...values] }, message }, (value) =>
    values.includes(value as string) ? none : fault(message),
  );
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
}

/** An object with the fields of a class of its own. */
export function IsNested(type: Class, options: Common = {}): PropertyDecorator {
  const message = 'must be object';
  const nested = (value: unknown) => (isObject(value) ? type : null);
  return field(options, { schema: { type }, nested, classes: [type], message }, (value) =>
    isObject(value) ? none : fault(message),
  );
}

/** An object with the fields of one of several classes, which its field `by` names. */
export function IsOneOfNested(
  by: string,
  types: Readonly<Record<string, Class>>,
  options: Common = {},
): PropertyDecorator {
  const message = 'must be object';
  const classes = Object.values(types);
  const mapping = Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, getSchemaPath(type)]),
  );
  const schema = {
    oneOf: classes.map((type) => ({ $ref: getSchemaPath(type) })),
    discriminator: { propertyName: by, mapping },
  };
  const nested = (value: unknown) => {
    const name = isObject(value) ? value[by] : undefined;
    return typeof name === 'string' && Object.hasOwn(types, name) ? types[name]! : null;
  };
  return field(options, { schema, nested, classes, message }, (value) => {
    if (!isObject(value)) return fault(message);
    if (nested(value) !== null) return none;
    return [{ path: [by], message: value[by] === undefined ? 'is required' : oneOf(Object.keys(types)) }];
  });
}

interface MapRule {
  readonly minProperties?: number;
  readonly maxProperties: number;
}

/** An object whose names and values are texts. */
export function IsTextMap({
  names,
  values,
  minProperties = 0,
  maxProperties,
  ...options
}: Common & MapRule & { readonly names: TextRule; readonly values: TextRule }): PropertyDecorator {
  const nameFits = fitting(names);
  const valueFits = fitting(values);
  return field(
    options,
    {
      schema: {
        type: 'object',
        ...(minProperties > 0 ? { minProperties } : {}),
        maxProperties,
        propertyNames: shown(names),
        additionalProperties: { type: 'string', ...shown(values) },
      },
    },
    (value) => {
      if (!isObject(value)) return fault('must be object');
      const faults: FieldFault[] = [...countFaults(value, { minProperties, maxProperties })];
      for (const [name, text] of Object.entries(value)) {
        if (!nameFits(name)) faults.push({ path: [name], message: names.message });
        else if (!valueFits(text)) faults.push({ path: [name], message: values.message });
      }
      return faults;
    },
  );
}

/** An object of any members, at most so many, and at most so long as JSON. */
export function IsAnyObject({
  minProperties = 0,
  maxProperties,
  maxCharacters,
  message,
  ...options
}: Common & MapRule & { readonly maxCharacters: number; readonly message: string }): PropertyDecorator {
  const schema = { type: 'object', minProperties, maxProperties, additionalProperties: true };
  return field(options, { schema }, (value) => {
    if (!isObject(value) || countFaults(value, { minProperties, maxProperties }).length > 0) {
      return fault(message);
    }
    return JSON.stringify(value).length > maxCharacters
      ? fault(`must have at most ${maxCharacters} characters as JSON`)
      : none;
  });
}

function countFaults(value: object, { minProperties = 0, maxProperties }: MapRule): readonly FieldFault[] {
  const count = Object.keys(value).length;
  if (count < minProperties) return fault(`must not have fewer than ${minProperties} properties`);
  return count > maxProperties ? fault(`must not have more than ${maxProperties} properties`) : none;
}

/** A list of texts: of some words, or after a rule. */
export function IsTextList({
  items,
  minItems,
  maxItems,
  unique = false,
  message,
  ...options
}: Common & {
  readonly items: readonly string[] | TextRule;
  readonly minItems: number;
  readonly maxItems?: number;
  readonly unique?: boolean;
  readonly message: string;
}): PropertyDecorator {
  const isRule = 'maxLength' in items;
  const fits = isRule ? fitting(items) : (value: unknown) => items.includes(value as string);
  const itemMessage = isRule ? items.message : oneOf(items);
  const schema = {
    type: 'array',
    items: { type: 'string', ...(isRule ? shown(items) : { enum: [...items] }) },
    minItems,
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(unique ? { uniqueItems: true } : {}),
  };
  return field(options, { schema }, (value) => {
    if (!Array.isArray(value)) return fault(message);
    if (value.length < minItems || value.length > (maxItems ?? Infinity)) return fault(message);
    const faults = value.flatMap((item: unknown, at): FieldFault[] =>
      fits(item) ? [] : [{ path: [at], message: itemMessage }],
    );
    const isTwice = unique && new Set(value).size < value.length;
    return isTwice ? [...faults, ...fault('must not have an item twice')] : faults;
  });
}

function common({ optional, description }: Common): Common {
  return {
    ...(optional === undefined ? {} : { optional }),
    ...(description === undefined ? {} : { description }),
  };
}

function shown({ minLength, maxLength, pattern }: TextRule): Json {
  return {
    ...(minLength === undefined ? {} : { minLength }),
    maxLength,
    ...(pattern === undefined ? {} : { pattern }),
  };
}
