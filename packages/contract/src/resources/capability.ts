import { type Static, Type } from 'typebox';
import { AnyJson } from '../feed/words.ts';
import { BiomassScale } from './biomass.ts';
import { closed, Timestamp } from './common.ts';

/** An argument after the name of a job at its start. */
const Argument = closed({
  name: Type.String(),
  nargs: Type.Integer({ description: '-1: any number' }),
  required: Type.Boolean(),
  type: Type.String(),
});

const Option = closed({
  name: Type.String({ description: 'Written with `_`' }),
  long_flag: Type.String({ description: 'Written with `-`, without dashes before it' }),
  help: Type.String(),
  required: Type.Boolean(),
  multiple: Type.Boolean(),
  default: AnyJson,
  type: Type.String({ description: '`float`, `float range`, `integer`, `text` or `boolean`' }),
  unit: Type.Optional(Type.String({ description: 'Of a number: `RPM`, `%`, …' })),
  min: Type.Optional(Type.Number({ description: 'Smaller values are refused, or clamped to this' })),
  max: Type.Optional(Type.Number({ description: 'Larger values are refused, or clamped to this' })),
  choices: Type.Optional(Type.Array(Type.String(), { description: 'Other words are refused' })),
  is_developer: Type.Optional(Type.Boolean({ description: 'For tests and for programs, not for a form. Absent: no' })),
});

const PublishedSetting = closed({
  datatype: Type.String({ description: '`string`, `float`, `integer`, `boolean` or `json`' }),
  settable: Type.Boolean(),
  unit: Type.Optional(Type.String()),
});

const lastUsed = {
  settings: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String(), Type.Boolean()]), {
    description: 'Settings that are also options of a start',
  }),
  biomass_scale: Type.Optional(BiomassScale),
  experiment: Type.Optional(
    Type.String({ description: 'In which it ran; absent: recorded by a version that did not keep it' }),
  ),
  job_source: Type.Optional(
    Type.String({
      description:
        'Who started it, as in a job; a job that was resumed has the source of its first start. Absent: recorded by a version that did not keep it',
    }),
  ),
  ended_at: Timestamp,
};

/** Something that can be started on a node: a job, or one kind of an automation. */
export const Capability = closed(
  {
    job_name: Type.String(),
    automation_name: Type.Optional(Type.String()),
    help: Type.String(),
    arguments: Type.Array(Argument),
    options: Type.Array(Option),
    published_settings: Type.Record(Type.String(), PublishedSetting),
    cli_example: Type.String(),
    last_used: Type.Optional(
      closed(lastUsed, {
        description: 'The values that it had when it ended last on this node; absent: it has not run',
      }),
    ),
    uses_jobs: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Jobs of the same node that it needs while it runs, besides the one that publishes its biomass signal. Absent: none, or a node that does not report them',
      }),
    ),
    available: Type.Optional(
      Type.Boolean({
        description: 'False: a part of the board that it needs does not answer. Absent on nodes without a board',
      }),
    ),
    reason: Type.Optional(Type.String({ description: 'What is missing, and why' })),
  },
  { title: 'Capability' },
);
export type Capability = Static<typeof Capability>;

/** Capabilities of several units; units of one version and board have equal ones. */
export const DistinctCapabilities = closed(
  {
    groups: Type.Array(
      closed({
        units: Type.Array(Type.String(), { description: 'Units that report exactly these' }),
        capabilities: Type.Array(Capability, { description: 'Without `last_used`' }),
      }),
    ),
    last_used: Type.Array(
      closed({
        reactor_unit: Type.String(),
        job_name: Type.String(),
        automation_name: Type.Optional(Type.String()),
        ...lastUsed,
      }),
      { description: 'The values that jobs had when they ended last' },
    ),
    failed: Type.Array(Type.String(), { description: 'Units that are offline or did not answer' }),
  },
  { title: 'DistinctCapabilities' },
);
export type DistinctCapabilities = Static<typeof DistinctCapabilities>;
