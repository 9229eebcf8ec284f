import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp } from './common.ts';

/** Outputs by their function, not by their connector. */
export const ActuatedOutput = Type.Union([
  Type.Literal('heater'),
  Type.Literal('stirrer'),
  Type.Literal('media_pump'),
  Type.Literal('alt_media_pump'),
  Type.Literal('waste_pump'),
  Type.Literal('led_A'),
  Type.Literal('led_B'),
  Type.Literal('led_C'),
  Type.Literal('led_D'),
]);
export type ActuatedOutput = Static<typeof ActuatedOutput>;
export const actuatedOutputs: readonly ActuatedOutput[] = ActuatedOutput.anyOf.map(({ const: output }) => output);

/** Unit of the number of an actuation: percent of full power, a speed, a temperature, a volume, a time. */
export const actuationUnits = ['%', 'RPM', '℃', 'mL', 's'] as const;

/** Which actuations, newest first, page by page. */
export const ActuationQuery = Type.Object({
  output: Type.Optional(ActuatedOutput),
  since: Type.Optional(Type.String({ maxLength: 64, description: 'Of this moment (RFC 3339) or later' })),
  until: Type.Optional(Type.String({ maxLength: 64, description: 'Before this moment (RFC 3339)' })),
  before: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Where the page begins: the header `x-next-before` of the previous page',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Actuations of a page' })),
});
export type ActuationQuery = Static<typeof ActuationQuery>;

/** What a run of a pump has moved, as the ledger of its unit has it. */
export const PumpedVolume = closed(
  {
    volume_ml: Type.Number({
      description: 'Liquid that was moved into the vial or out of it so far; of the waste pump without air',
    }),
    state: Type.Union([Type.Literal('pumping'), Type.Literal('stopped'), Type.Literal('ended')], {
      description: '`stopped`: the pump was switched off before it had moved what was requested',
    }),
  },
  { title: 'PumpedVolume' },
);
export type PumpedVolume = Static<typeof PumpedVolume>;

/** One decision to drive an output, or not to, with its reasons. */
export const Actuation = closed(
  {
    timestamp: Timestamp,
    reactor_unit: Type.String(),
    experiment: Type.String({ description: '`$experiment`: the unit itself' }),
    output: Type.String({ description: actuatedOutputs.join(', ') }),
    to: Nullable(Type.Number({ description: 'The requested value, in `unit`; null: until it is stopped' })),
    from: Nullable(Type.Number({ description: 'The previous value, in `unit`; null if there is none' })),
    unit: Type.String({ description: actuationUnits.join(', ') }),
    outside_vial: Type.Optional(
      Type.Literal(true, { description: 'The pump moved its liquid into a vessel; absent: it acted on the vial' }),
    ),
    pumped: Type.Optional(PumpedVolume),
    refused: Nullable(Type.String({ description: 'Why it was refused; null: it was done' })),
    source_of_event: Nullable(
      Type.String({ description: 'Who requested it: `UI`, `dosing_automation:turbidostat`, a calibration session, …' }),
    ),
    job_name: Nullable(Type.String()),
    job_id: Nullable(Type.Integer()),
    job_source: Nullable(
      Type.String({ description: 'Who started the job: `user`, `experiment_profile/12`, `resume`, …' }),
    ),
    started_by: Nullable(
      Type.String({ description: 'Person or program that started the job; null: a node, or nobody has an account' }),
    ),
    rule: Nullable(Type.String({ description: 'The rule that acted, with its numbers; null: a direct request' })),
    reading: Nullable(
      closed({
        source: Type.String(),
        channel: Nullable(Type.String()),
        value: Type.Number(),
        timestamp: Nullable(Timestamp),
      }),
    ),
    settings: Nullable(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The settings that the rule used, with their values then',
      }),
    ),
    calibration: Nullable(Type.String({ description: 'The calibration that converted the value' })),
    why: Type.String({ description: 'The reason as one sentence for people' }),
  },
  { title: 'Actuation' },
);
export type Actuation = Static<typeof Actuation>;
