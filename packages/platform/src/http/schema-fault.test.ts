import fc from 'fast-check';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { describe, expect, it } from 'vitest';
import { compileSchema } from './compiled-schema.ts';
import { describeFault, firstFault } from './schema-fault.ts';

const closed = { additionalProperties: false };
const say = (schema: Parameters<typeof compileSchema>[0], value: unknown) =>
  describeFault(compileSchema(schema).fault(value));

describe('the first fault', () => {
  const Change = Type.Union([
    Type.Object({ kind: Type.Literal('move'), to: Type.Integer() }, closed),
    Type.Object({ kind: Type.Literal('name'), name: Type.String() }, closed),
    Type.Null(),
  ]);

  it.each([
    [
      'the alternative that was meant, told by its constant',
      Change,
      { kind: 'move', to: 'x' },
      'expected integer, got string at $.to',
    ],
    ['no alternative, when none is meant', Change, { kind: 'paint' }, 'expected object or null, got object at $'],
    [
      'the one alternative of the right type',
      Type.Union([Type.Array(Type.String()), Type.Null()]),
      [1],
      'expected string, got integer at $[0]',
    ],
    [
      'values of a map',
      Type.Record(Type.String(), Type.Number()),
      { 'a b': 'x' },
      "expected number, got string at $['a b']",
    ],
    ['a constant', Type.Literal(3), 4, 'expected 3, got 4 at $'],
    ['an enumeration', Type.Enum(['a', 'b', 'c']), 'd', "expected 'a', 'b' or 'c', got 'd' at $"],
    ['a pattern', Type.String({ pattern: '^a+$' }), 'b', "'b' does not match ^a+$ at $"],
    ['a format', Type.String({ format: 'uuid' }), 'b', 'must match format "uuid" at $'],
    [
      'too many characters, counted as people do',
      Type.String({ maxLength: 1 }),
      '😀😀',
      'expected at most 1 character, got 2 at $',
    ],
    ['an exclusive limit', Type.Number({ exclusiveMinimum: 0 }), 0, 'expected a number above 0, got 0 at $'],
    ['an upper limit', Type.Number({ exclusiveMaximum: 5 }), 5, 'expected a number below 5, got 5 at $'],
    ['a step', Type.Integer({ multipleOf: 5 }), 7, 'expected a number that is a multiple of 5, got 7 at $'],
    ['too few items', Type.Array(Type.Any(), { minItems: 1 }), [], 'expected at least 1 item, got 0 at $'],
    ['too many items', Type.Array(Type.Any(), { maxItems: 1 }), [1, 2], 'expected at most 1 item, got 2 at $'],
    ['a repeated item', Type.Array(Type.Any(), { uniqueItems: true }), [1, 2, 1], '1 occurs twice at $[2]'],
    ['too few fields', Type.Object({}, { minProperties: 1 }), {}, 'expected at least 1 field, got 0 at $'],
    [
      'both halves of an intersection',
      Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
      { a: '' },
      "missing field 'b'",
    ],
    ['a long value shortened', Type.Literal('x'), 'y'.repeat(99), `expected 'x', got '${'y'.repeat(59)}… at $`],
  ])('is %s', (_, schema, value, expected) => {
    expect(Compile(schema).Check(value)).toBe(false);
    expect(say(schema, value)).toBe(expected);
  });

  it('is there exactly for what the compiled check refuses', () => {
    const schema = Type.Object(
      {
        text: Type.String({ minLength: 1, maxLength: 3 }),
        number: Type.Optional(Type.Union([Type.Integer({ minimum: 0 }), Type.Null()])),
        list: Type.Optional(Type.Array(Type.Union([Type.Literal('a'), Type.Literal(1)]), { uniqueItems: true })),
        map: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
      },
      closed,
    );
    const { check } = compileSchema(schema);
    const part = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('', 'abc', 'abcd', 0, -1, 1.5, null, ['a', 1], ['a', 'a'], { x: true }),
    );
    const value = fc.record({ text: part, number: part, list: part, map: part, other: part }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.oneof(value, fc.jsonValue()), (candidate) => {
        expect(firstFault(schema, candidate) === undefined).toBe(check(candidate));
      }),
      { numRuns: 1000 },
    );
  });
});
