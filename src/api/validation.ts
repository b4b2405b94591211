import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { isCurrency, Problem, type ProblemField } from '../kernel/index.js';
import { isCountry } from './country.js';
import { pointerOf } from './json-body.js';

/** How many faults of one request are told. */
const MOST_ERRORS = 20;

/** One @, something on both sides, a dot in the domain, no white space. Mail servers know the rest. */
const EMAIL = /^[^\s@"(),:;<>[\\\]\p{Cc}]+@[^\s@"(),:;<>[\\\]\p{Cc}]+\.[^\s@"(),:;<>[\\\]\p{Cc}]+$/u;
/** RFC 3339, section 5.6, without leap seconds, which JavaScript's dates do not have. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Whether it is a time that exists: `2026-02-30T00:00:00Z` parses, and to another day. */
function isTime(text: string): boolean {
  if (!TIME.test(text) || Number.isNaN(Date.parse(text))) return false;
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number];
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  currency: isCurrency,
  country: isCountry,
  email: (text) => EMAIL.test(text),
  uri: isHttpUrl,
  'statement-descriptor': (text) => !/[<>\\'"*]/.test(text),
  'date-time': isTime,
};

function compiler(allErrors: boolean): Ajv2020 {
  const ajv = new Ajv2020({ allErrors, verbose: allErrors, strict: true, strictTypes: false });
  ajv.addKeyword('x-refusal');
  for (const [name, validate] of Object.entries(formats)) ajv.addFormat(name, validate);
  return ajv;
}

/** The first stops at the first fault and is the one that every good request passes. */
const brief = compiler(false);
const thorough = compiler(true);

/** Throws Problem `validation_failed` unless the value fits. */
export type Check<T> = (value: unknown) => asserts value is T;

/** Compiles a schema once. Name the result's type where it is declared; TypeScript asks for that. */
export function checkOf<T>(schema: object): Check<T> {
  const fits: ValidateFunction = brief.compile(schema);
  const faults: ValidateFunction = thorough.compile(schema);
  return (value) => {
    if (fits(value)) return;
    faults(value);
    throw new Problem('validation_failed', 'Some of the request does not fit; see errors.', {
      errors: told(faults.errors ?? []),
    });
  };
}

function told(errors: readonly ErrorObject[]): ProblemField[] {
  const fields = new Map<string, ProblemField>();
  for (const error of errors) {
    // "property name must be valid" repeats what the name's own error says.
    if (error.keyword === 'propertyNames') continue;
    const field = { pointer: pointerTo(error), message: messageOf(error) };
    if (!fields.has(field.pointer)) fields.set(field.pointer, field);
    if (fields.size === MOST_ERRORS) break;
  }
  return [...fields.values()];
}

function pointerTo({ instancePath, params, propertyName }: ErrorObject): string {
  const { missingProperty, additionalProperty } = params as Readonly<Record<string, unknown>>;
  const name = propertyName ?? missingProperty ?? additionalProperty;
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return pointerOf(typeof name === 'string' ? [...path, name] : path);
}

function messageOf({ keyword, params, parentSchema, message }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not a known field';
  if (keyword === 'enum') {
    const { allowedValues } = params as { allowedValues: readonly string[] };
    return allowedValues.length === 1
      ? `must be ${allowedValues[0]}`
      : `must be one of ${allowedValues.join(', ')}`;
  }
  const refusal: unknown = parentSchema?.['x-refusal'];
  return typeof refusal === 'string' ? refusal : (message ?? 'does not fit').replace('must NOT', 'must not');
}
