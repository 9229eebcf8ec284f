import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

export const InterruptionKind = Type.Union([
  Type.Literal('unit_off'),
  Type.Literal('unit_stopped'),
  Type.Literal('records_lost'),
]);
export type InterruptionKind = Static<typeof InterruptionKind>;

/** Which interruptions, newest first, page by page. */
export const InterruptionQuery = Type.Object({
  reactor_unit: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: 'Of this unit only' })),
  kind: Type.Optional(InterruptionKind),
  since: Type.Optional(Type.String({ maxLength: 64, description: 'Not over before this moment (RFC 3339)' })),
  until: Type.Optional(Type.String({ maxLength: 64, description: 'Begun before this moment (RFC 3339)' })),
  before: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Where the page begins: the header `x-next-before` of the previous page',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Interruptions of a page' }),
  ),
});
export type InterruptionQuery = Static<typeof InterruptionQuery>;

const jobNames = Type.Array(Type.String());

/** A time span with missing records of a unit. */
export const Interruption = closed(
  {
    reactor_unit: Type.String(),
    kind: Type.Union(InterruptionKind.anyOf, {
      description:
        '`unit_off`: it was cut off, by its power or a crash; `unit_stopped`: it had been stopped; `records_lost`: it has fewer records than it made',
    }),
    from: Nullable({
      ...Timestamp,
      description: 'The last record before; of lost records the first one. null: unknown',
    }),
    to: Timestamp,
    clock_unset: Type.Boolean({ description: 'The clock was not set, or set back meanwhile: `from` may be wrong' }),
    jobs: Nullable(
      closed(
        { resumed: jobNames, held: jobNames, off: jobNames },
        { description: 'Jobs of the unit that were cut: continued, wait for a person, stay off. null: not reported' },
      ),
    ),
    reason: Nullable(
      Type.String({
        description: 'Of lost records: thinned, disk_full, damaged, forgotten, series_limit, unexplained',
      }),
    ),
    records: Nullable(Type.Integer({ description: 'How many are missing at most' })),
    dropped: Nullable(
      Type.Record(Type.String(), Type.Integer(), {
        description: 'How many of which source, or `log:<level>`, or kind; empty if unknown',
      }),
    ),
    message: Type.String({ description: 'What happened, with its consequence, for people; without the times' }),
  },
  { title: 'Interruption' },
);
export type Interruption = Static<typeof Interruption>;
