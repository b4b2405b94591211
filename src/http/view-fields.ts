import { type Type } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { MAX_AMOUNT } from '../core/money.js';
import { type Page } from '../core/page.js';

/**
 * The fields of view classes, for the OpenAPI document. Answers are plain objects of these types: no instance of a
 * view is ever made, so that a request pays nothing for them.
 */

type Schema = Readonly<Record<string, unknown>>;

/** @ApiProperty for all of JSON Schema: what its type leaves out (`const`, `propertyNames`) it hands on. */
export function Field(schema: Schema): PropertyDecorator {
  return ApiProperty(schema);
}

export function Text(schema: Schema = {}): PropertyDecorator {
  return Field({ type: 'string', ...schema });
}

export function Constant(value: string): PropertyDecorator {
  return Text({ const: value });
}

export function OneOf(values: readonly string[], schema: Schema = {}): PropertyDecorator {
  return Text({ enum: [...values], ...schema });
}

export function Id(schema: Schema = {}): PropertyDecorator {
  return Text({ format: 'uuid', description: 'UUIDv7.', ...schema });
}

export function Time(schema: Schema = {}): PropertyDecorator {
  return Text({ format: 'date-time', description: 'RFC 3339, UTC.', ...schema });
}

export function WholeNumber(schema: Schema = {}): PropertyDecorator {
  return Field({ type: 'integer', ...schema });
}

export function TestMode(): PropertyDecorator {
  return Field({ type: 'boolean', description: 'The object is of test mode: no real money moves.' });
}

/** In minor units. */
export function Amount(description: string): PropertyDecorator {
  return WholeNumber({ minimum: 0, maximum: MAX_AMOUNT, description });
}

export function Metadata(): PropertyDecorator {
  return Field({ type: 'object', additionalProperties: { type: 'string' } });
}

/** The page of a list, as a view of its own. */
export function PageOf<T>(name: string, item: Type<T>): Type<Page<T>> {
  @ApiSchema({ name })
  class PageView implements Page<T> {
    @Field({ type: item, isArray: true })
    readonly data: readonly T[];

    @Field({ type: 'boolean' })
    readonly has_more: boolean;

    @Text({ nullable: true, description: 'Give it as `cursor` to get the next page.' })
    readonly next_cursor: string | null;
  }
  return PageView;
}
