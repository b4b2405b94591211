import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateSync, type ValidationError } from 'class-validator';
import { invalidFields, Problem, type ProblemField } from '../core/problem.js';
import { type FieldFault, fieldsOf, isObject } from './fields.js';
import { pointerOf } from './json-body.js';
import { findCardNumber } from '../core/card-number.js';

type Path = readonly (string | number)[];

/**
 * The validation pipe of all controllers: a body or a query becomes an instance of the DTO class that the handler
 * declares, or Problem `validation_failed` with a pointer to each fault.
 */
@Injectable()
export class RequestPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    // The reader of JSON found these faults in the body; see RequestHooks.
    if (value instanceof Problem) throw value;
    const dto = metatype as new () => object;
    return parseRequest(dto, type === 'query' ? plainQuery(dto, value as Record<string, unknown>) : value);
  }
}

/** Without a body, a request that needs no field says nothing. */
export function parseRequest<T extends object>(type: new () => T, value: unknown): T {
  const given = value === undefined && nothingIsRequired(type) ? {} : value;
  if (!isObject(given)) throw invalidFields([{ pointer: '', message: 'must be object' }]);
  const faults: ProblemField[] = [];
  const request = instanceOf(type, given, [], faults);
  if (!fits(type, request)) {
    collect(
      validateSync(request, { forbidUnknownValues: false, validationError: { target: false } }),
      [],
      faults,
    );
  }
  if (faults.length > 0) throw invalidFields(faults);
  return request;
}

function nothingIsRequired(type: new () => object): boolean {
  return [...fieldsOf(type).values()].every(({ required }) => !required);
}

/**
 * The verdict of class-validator by the fields' own rules, at a sixth of its cost: it is asked where one does not fit, for
 * its faults. DTOs have no other rules (boundary `fields-declare-requests`).
 */
export function fits(type: new () => object, request: object): boolean {
  for (const [name, { required, nested, faultsOf }] of fieldsOf(type)) {
    const value = (request as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) {
      if (required) return false;
    } else if (faultsOf(value).length > 0) {
      return false;
    } else {
      const own = nested?.(value);
      if (own && !fits(own, value as object)) return false;
    }
  }
  return true;
}

/**
 * Neither class-transformer nor `whitelist` of class-validator, which takes a field that is called `hasOwnProperty`
 * for one that it knows.
 */
function instanceOf<T extends object>(
  type: new () => T,
  given: Readonly<Record<string, unknown>>,
  path: Path,
  faults: ProblemField[],
): T {
  const fields = fieldsOf(type);
  const request = new type() as T & Record<string, unknown>;
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined) continue;
    const known = fields.get(name);
    if (known === undefined) {
      faults.push({ pointer: pointerOf([...path, name]), message: 'is not a known field' });
    } else {
      const own = known.nested?.(value);
      (request as Record<string, unknown>)[name] = own
        ? instanceOf(own, value as Readonly<Record<string, unknown>>, [...path, name], faults)
        : value;
    }
  }
  return request;
}

function collect(errors: readonly ValidationError[], path: Path, faults: ProblemField[]): void {
  for (const { property, value, constraints, contexts, children } of errors) {
    const here = [...path, property];
    if (constraints === undefined) collect(children ?? [], here, faults);
    else if (value === undefined) faults.push({ pointer: pointerOf(here), message: 'is required' });
    else
      for (const { path: within, message } of faultsOf(value, constraints, contexts)) {
        faults.push({ pointer: pointerOf([...here, ...within]), message });
      }
  }
}

/** Those of our own fields know where within the value each stands. */
function faultsOf(
  value: unknown,
  constraints: Readonly<Record<string, string>>,
  contexts: ValidationError['contexts'],
): readonly FieldFault[] {
  const own = contexts?.['fits'] as { faultsOf(value: unknown): readonly FieldFault[] } | undefined;
  return own?.faultsOf(value) ?? [{ path: [], message: Object.values(constraints)[0] ?? 'does not fit' }];
}

/** A query string without card numbers: whole numbers as such, and `map[name]=text` as a member of that map. */
function plainQuery(dto: new () => object, query: Readonly<Record<string, unknown>>): object {
  refuseCardNumbers(query);
  const fields = fieldsOf(dto);
  const plain: [name: string, value: unknown][] = [];
  const maps = new Map<string, [name: string, value: unknown][]>();
  for (const [name, value] of Object.entries(query)) {
    const [, map = '', member = ''] = MEMBER.exec(name) ?? [];
    if (fields.get(map)?.type === 'object') {
      const members = maps.get(map) ?? [];
      members.push([member, value]);
      maps.set(map, members);
    } else plain.push([name, fields.get(name)?.type === 'integer' ? numberIn(value) : value]);
  }
  for (const [map, members] of maps) plain.unshift([map, Object.fromEntries(members)]);
  return Object.fromEntries(plain);
}

const MEMBER = /^([a-z_]+)\[(.*)\]$/s;

function numberIn(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
}

function refuseCardNumbers(query: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(query)) {
    const pointer = findCardNumber(name) ? '' : findCardNumber(String(value)) ? pointerOf([name]) : null;
    if (pointer === null) continue;
    throw new Problem(
      'card_number_refused',
      'A card number stands in the query. It was not kept or logged.',
      {
        errors: [{ pointer, message: 'holds what looks like a card number' }],
      },
    );
  }
}
