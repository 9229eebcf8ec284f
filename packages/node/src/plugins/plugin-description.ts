import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Json = Type.Unknown();
const settingBase = {
  unit: Type.Optional(Type.String()),
  readOnly: Type.Optional(Type.Boolean()),
  nullable: Type.Optional(Type.Boolean()),
};
const number = Type.Union([Type.Literal('float'), Type.Literal('integer')]);
const range = { min: Type.Optional(Type.Number()), max: Type.Optional(Type.Number()) };
const texts = Type.Optional(Type.Array(Type.String()));

const Setting = Type.Union([
  Type.Object({
    ...settingBase,
    type: number,
    ...range,
    outside: Type.Optional(Type.Union([Type.Literal('refuse'), Type.Literal('clamp')])),
    default: Type.Optional(Type.Number()),
  }),
  Type.Object({ ...settingBase, type: Type.Literal('boolean'), default: Type.Optional(Type.Boolean()) }),
  Type.Object({ ...settingBase, type: Type.Literal('string'), choices: texts, default: Type.Optional(Type.String()) }),
  Type.Object({ ...settingBase, type: Type.Literal('json') }),
]);

const optionBase = { required: Type.Optional(Type.Boolean()), multiple: Type.Optional(Type.Boolean()) };
const Option = Type.Union([
  Type.Object({ ...optionBase, type: number, ...range }),
  Type.Object({ ...optionBase, type: Type.Literal('boolean') }),
  Type.Object({ ...optionBase, type: Type.Literal('string'), choices: texts }),
]);

const jobName = '^[a-z][a-z0-9_]{0,63}$';
const runnable = {
  help: Type.String(),
  settings: Type.Record(Type.String({ pattern: jobName }), Setting),
  options: Type.Record(Type.String({ pattern: jobName }), Option),
  usesJobs: Type.Array(Type.String({ pattern: jobName })),
};

const StopGroup = Type.Union([
  Type.Literal('pumps'),
  Type.Literal('heat_and_pwm'),
  Type.Literal('automations'),
  Type.Literal('rest'),
  Type.Literal('leds'),
]);
const AutomationJob = Type.Union([
  Type.Literal('dosing_automation'),
  Type.Literal('led_automation'),
  Type.Literal('temperature_automation'),
]);

const JobOfPlugin = Type.Object({
  name: Type.String({ pattern: jobName }),
  drivesOutputs: Type.Boolean(),
  stopGroup: StopGroup,
  mayRunPumps: Type.Boolean(),
  ...runnable,
});

const AutomationOfPlugin = Type.Object({
  name: Type.String({ pattern: jobName }),
  job: AutomationJob,
  ...runnable,
});

const Schema = Type.Object({}, { additionalProperties: true });

/** A route of a plugin, as it declares it. */
const RouteOfPlugin = Type.Object({
  method: Type.Union([Type.Literal('GET'), Type.Literal('POST')]),
  path: Type.String({ pattern: '^[a-z][a-z0-9_-]{0,63}$' }),
  summary: Type.String(),
  query: Type.Union([Schema, Type.Null()]),
  body: Type.Union([Schema, Type.Null()]),
  response: Schema,
});

const Descriptors = Type.Array(Type.Record(Type.String(), Json));

/** The description of a plugin, which its own process reports. */
export const PluginDescription = Type.Object({
  manifest: Type.Object({
    name: Type.Optional(Type.String()),
    version: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    author: Type.Optional(Type.String()),
    homepage: Type.Optional(Type.String()),
    leader_only: Type.Optional(Type.Boolean()),
  }),
  jobs: Type.Array(JobOfPlugin),
  automations: Type.Array(AutomationOfPlugin),
  descriptors: Type.Object({
    jobs: Descriptors,
    automations: Type.Record(Type.String({ pattern: '^[a-z]+$' }), Descriptors),
    settings: Descriptors,
    charts: Descriptors,
    readings: Descriptors,
  }),
  datasets: Descriptors,
  routes: Type.Array(RouteOfPlugin),
});
export type PluginDescription = Static<typeof PluginDescription>;
export type DescribedJob = PluginDescription['jobs'][number];
export type DescribedAutomation = PluginDescription['automations'][number];

/** Why a plugin cannot be used; the message is a sentence for users. */
export interface PluginFault {
  readonly code:
    | 'loading'
    | 'not_loaded'
    | 'declaration_invalid'
    | 'name_invalid'
    | 'name_reserved'
    | 'name_taken'
    | 'declared_twice';
  readonly message: string;
}

export class PluginUnusable extends Error implements PluginFault {
  readonly code: PluginFault['code'];

  constructor({ code, message }: PluginFault) {
    super(message);
    this.name = 'PluginUnusable';
    this.code = code;
  }
}

/** @throws PluginUnusable with the first deviation from docs/plugins.md */
export function checkDescription(value: unknown): PluginDescription {
  if (Value.Check(PluginDescription, value)) return value;
  const [fault] = Value.Errors(PluginDescription, value);
  const place = fault === undefined || fault.instancePath === '' ? '' : ` at ${fault.instancePath}`;
  const message = `Its declaration is not valid${place}: ${fault?.message ?? 'unknown'}.`;
  throw new PluginUnusable({ code: 'declaration_invalid', message });
}
