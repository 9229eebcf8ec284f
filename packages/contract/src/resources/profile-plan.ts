import { type Static, Type } from 'typebox';
import { AnyJson } from '../feed/words.ts';
import { closed, Nullable, textLimit } from './common.ts';
import { ExperimentProfileText } from './profile.ts';

export const ProfilePlanRequest = closed(
  {
    ...ExperimentProfileText.properties,
    experiment: Type.Optional(
      Type.String({
        maxLength: textLimit,
        description: 'Whose units to plan for; absent: the units that the profile names, else `unit1`',
      }),
    ),
  },
  { title: 'ProfilePlanRequest' },
);

/** A file or a text, and exactly one of them. */
export const PreflightRequest = closed(
  {
    filename: Type.Optional(Type.String({ maxLength: textLimit, description: 'A saved profile; or else `body`' })),
    body: Type.Optional(ExperimentProfileText.properties.body),
    units: Type.Optional(
      Type.String({
        maxLength: textLimit,
        description:
          'Names of units of the experiment, separated by commas, as the option `units` of a start; absent or empty: all to which the profile applies',
      }),
    ),
  },
  { title: 'PreflightRequest' },
);
export type PreflightRequest = Static<typeof PreflightRequest>;

/** An action, an iteration of a loop, or a wait, at its planned time. A loop ends when what the profile sets ends it. */
export const PlannedAction = closed(
  {
    at_s: Type.Number({
      minimum: 0,
      description:
        'Seconds since the start of the profile. What follows a wait is counted as if its condition held at once',
    }),
    job_name: Type.String(),
    path: Type.String({ description: 'In the profile, like `common.jobs.stirring.actions[0]`' }),
    iteration: Type.Integer({ minimum: 0, description: 'Of the loop that it is, or that encloses it' }),
    action: Type.String({ description: 'start, update, pause, resume, stop, log, repeat or when' }),
    options: Type.Record(Type.String(), AnyJson, { description: 'As written; expressions are not evaluated' }),
    planned_options: Type.Optional(
      Type.Record(Type.String(), AnyJson, {
        description:
          'Values of the options whose expressions depend on the inputs, and on settings of actions before, only; absent: there are none',
      }),
    ),
    biomass_signal: Type.Optional(
      Type.String({ description: 'Of a dosing automation: its targets are numbers of this signal; absent: not known' }),
    ),
    condition: Nullable(
      Type.String({ description: '`if`, `while` or `wait_until` as written; null: nothing decides about it' }),
    ),
    planned_condition: Type.Optional(
      Type.String({ description: 'The condition with the values of the inputs; absent: it has none' }),
    ),
    depends_on: Nullable(Type.String({ description: 'Path of the enclosing wait or loop' })),
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1 }),
  },
  { title: 'PlannedAction' },
);
export type PlannedAction = Static<typeof PlannedAction>;

/** The timeline of a profile for each unit; nothing was evaluated or started. */
export const ProfilePlan = closed(
  {
    length_s: Nullable(
      Type.Number({ minimum: 0, description: 'Seconds until the last action; null: it depends on a condition' }),
    ),
    is_open_ended: Type.Boolean({ description: 'It has a wait, or a loop without a time limit' }),
    omitted_units: Type.Integer({ minimum: 0, description: 'Units above the limit of 200, which are not planned' }),
    units: Type.Array(
      closed({
        reactor_unit: Type.String(),
        label: Nullable(Type.String()),
        is_truncated: Type.Boolean({ description: 'There are later actions, which are not listed' }),
        actions: Type.Array(PlannedAction, { description: 'In the order of execution' }),
      }),
    ),
  },
  { title: 'ProfilePlan' },
);
export type ProfilePlan = Static<typeof ProfilePlan>;
