import { type Static, type TObject, type TSchema, Type } from 'typebox';

/** An object that has the listed keys and no others. */
export const closed = <Properties extends Record<string, TSchema>>(
  properties: Properties,
  options: { title?: string; description?: string } = {},
): TObject<Properties> => Type.Object(properties, { additionalProperties: false, ...options });

/** The longest text in a request that has no limit of its own, in characters; contents of files are limited where they are read. */
export const textLimit = 10_000;

/** A moment: UTC, ISO-8601 with milliseconds and Z. */
export const Timestamp = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'UTC, ISO-8601 with milliseconds',
});

/** 0 or 1, as transmitted. */
export const Flag = Type.Union([Type.Literal(0), Type.Literal(1)]);

/** 0 or 1 on input, where booleans are accepted too. */
export const FlagInput = Type.Union([Type.Literal(0), Type.Literal(1), Type.Boolean()]);

export const Nullable = <Schema extends TSchema>(schema: Schema, options: { description?: string } = {}) =>
  Type.Union([schema, Type.Null()], options);

/** Something was done. */
export const Acknowledgement = closed({ status: Type.Literal('success') }, { title: 'Acknowledgement' });
export type Acknowledgement = Static<typeof Acknowledgement>;

/** Page of a list; without both parameters the answer is the whole list. */
export const HistoryQuery = Type.Object({
  skip: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'How many to leave out, newest first' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'How many of them; absent: all' })),
});
export type HistoryQuery = Static<typeof HistoryQuery>;
