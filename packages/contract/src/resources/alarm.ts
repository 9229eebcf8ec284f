import { type Static, Type } from 'typebox';
import { closed, Nullable, Timestamp, textLimit } from './common.ts';

/** `critical`: cells or machine are at risk without action; `error`: a function has failed; `warning`: a failure is near. */
export const AlarmSeverity = Type.Union([Type.Literal('warning'), Type.Literal('error'), Type.Literal('critical')], {
  title: 'AlarmSeverity',
});
export type AlarmSeverity = Static<typeof AlarmSeverity>;

/**
 * `unacknowledged`, `acknowledged`: the condition holds. `returned`: it is over and not acknowledged.
 * `cleared`: over and acknowledged. `shelved`: suppressed until a time.
 */
export const AlarmState = Type.Union(
  [
    Type.Literal('unacknowledged'),
    Type.Literal('acknowledged'),
    Type.Literal('returned'),
    Type.Literal('cleared'),
    Type.Literal('shelved'),
  ],
  { title: 'AlarmState' },
);
export type AlarmState = Static<typeof AlarmState>;

/** The subject of the alarms of a rule, for which the rule can have separate values. */
export const AlarmScope = Type.Union([Type.Literal('cluster'), Type.Literal('unit'), Type.Literal('experiment')], {
  title: 'AlarmScope',
});
export type AlarmScope = Static<typeof AlarmScope>;

const alarmFields = {
  alarm_id: Type.String({ format: 'uuid' }),
  rule: Type.String({ description: 'Which rule raised it' }),
  title: Type.String({ description: 'Of the rule' }),
  severity: AlarmSeverity,
  state: AlarmState,
  is_active: Type.Boolean({ description: 'Whether the condition holds' }),
  reactor_unit: Nullable(Type.String()),
  experiment: Nullable(Type.String()),
  detail: Nullable(Type.String({ description: 'The part of the unit: a source, a job, a bottle' })),
  message: Type.String(),
  since: Timestamp,
  occurrences: Type.Integer({ minimum: 1, description: 'How often the condition came while the alarm was open' }),
  returned_at: Nullable(Timestamp),
  acknowledged_at: Nullable(Timestamp),
  acknowledged_by: Nullable(Type.String()),
  comment: Nullable(Type.String({ description: 'From its acknowledgement' })),
  shelved_until: Nullable(Timestamp),
  cleared_at: Nullable(Timestamp),
};

/** One condition that needs attention: each has one open alarm. */
export const Alarm = closed(alarmFields, { title: 'Alarm' });
export type Alarm = Static<typeof Alarm>;

const AlarmAction = Type.Union([
  Type.Literal('raised'),
  Type.Literal('raised_again'),
  Type.Literal('returned'),
  Type.Literal('acknowledged'),
  Type.Literal('shelved'),
  Type.Literal('unshelved'),
  Type.Literal('shelf_ended'),
  Type.Literal('cleared'),
]);
export type AlarmAction = Static<typeof AlarmAction>;

const AlarmHistoryEntry = closed(
  {
    timestamp: Timestamp,
    what: AlarmAction,
    by: Nullable(Type.String({ description: 'Author' })),
    comment: Nullable(Type.String()),
    message: Nullable(Type.String()),
    until: Nullable(Timestamp),
  },
  { title: 'AlarmHistoryEntry' },
);
export type AlarmHistoryEntry = Static<typeof AlarmHistoryEntry>;

export const AlarmWithHistory = closed(
  { ...alarmFields, history: Type.Array(AlarmHistoryEntry, { description: 'Oldest first; the newest 500' }) },
  { title: 'AlarmWithHistory' },
);
export type AlarmWithHistory = Static<typeof AlarmWithHistory>;

const skip = Type.Optional(
  Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: 'How many to leave out' }),
);
const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'How many of a page' }),
);

export const AlarmQuery = Type.Object({
  state: Type.Optional(
    Type.Union([Type.Literal('open'), Type.Literal('all'), ...AlarmState.anyOf], {
      description: '`open`, the default: all that are not cleared',
    }),
  ),
  severity: Type.Optional(AlarmSeverity),
  unit: Type.Optional(Type.String({ maxLength: textLimit })),
  experiment: Type.Optional(Type.String({ maxLength: textLimit })),
  rule: Type.Optional(Type.String({ maxLength: textLimit })),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Text in message, title, comment, unit or experiment' }),
  ),
  since: Type.Optional(Type.String({ maxLength: textLimit, description: 'RFC 3339 with a zone: alarms since then' })),
  until: Type.Optional(Type.String({ maxLength: textLimit, description: 'RFC 3339 with a zone: alarms before then' })),
  skip,
  limit,
});
export type AlarmQuery = Static<typeof AlarmQuery>;

const author = Type.Optional(Nullable(Type.String({ maxLength: 100, description: 'Author' })));
const comment = Type.Optional(Nullable(Type.String({ maxLength: 1_000 })));

export const AlarmAcknowledgement = closed({ author, comment }, { title: 'AlarmAcknowledgement' });
export type AlarmAcknowledgement = Static<typeof AlarmAcknowledgement>;

export const AlarmShelving = closed(
  {
    minutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 1440 })),
    until: Type.Optional(
      Type.String({ maxLength: textLimit, description: 'RFC 3339 with a zone, within 24 hours; instead of minutes' }),
    ),
    author,
    comment,
  },
  { title: 'AlarmShelving' },
);
export type AlarmShelving = Static<typeof AlarmShelving>;

export const AlarmUnshelving = closed({ author, comment }, { title: 'AlarmUnshelving' });
export type AlarmUnshelving = Static<typeof AlarmUnshelving>;

const ParameterValue = Type.Union([Type.Number(), Type.String({ maxLength: textLimit }), Type.Null()]);
const ParameterValues = Type.Record(Type.String(), ParameterValue);

const AlarmRuleParameter = closed(
  {
    name: Type.String(),
    label: Type.String(),
    unit: Type.String({ description: 'Empty: none, or that of the source' }),
    type: Type.Union([Type.Literal('number'), Type.Literal('choice')]),
    minimum: Nullable(Type.Number()),
    maximum: Nullable(Type.Number()),
    may_be_none: Type.Boolean({ description: 'Whether null (no limit) is a value too' }),
    choices: Nullable(Type.Array(Type.String())),
    default: ParameterValue,
    value: ParameterValue,
  },
  { title: 'AlarmRuleParameter' },
);
export type AlarmRuleParameter = Static<typeof AlarmRuleParameter>;

const place = {
  reactor_unit: Nullable(Type.String({ maxLength: textLimit })),
  experiment: Nullable(Type.String({ maxLength: textLimit })),
};

const AlarmRuleOverride = closed(
  {
    ...place,
    severity: Nullable(AlarmSeverity),
    is_enabled: Nullable(Type.Boolean()),
    parameters: ParameterValues,
    changed_at: Timestamp,
    changed_by: Nullable(Type.String()),
  },
  { title: 'AlarmRuleOverride', description: 'Values for one unit or one experiment; null: the general value' },
);

/** Condition of an alarm. Its values are general; `overrides` take precedence, those of a unit over those of an experiment. */
export const AlarmRule = closed(
  {
    rule: Type.String(),
    title: Type.String(),
    description: Type.String(),
    scope: AlarmScope,
    severity: AlarmSeverity,
    is_enabled: Type.Boolean(),
    parameters: Type.Array(AlarmRuleParameter),
    is_default: Type.Boolean({ description: 'It has its default values' }),
    version: Type.Integer({ minimum: 0, description: 'Grows with each change; also the header `etag`' }),
    overrides: Type.Array(AlarmRuleOverride),
  },
  { title: 'AlarmRule' },
);
export type AlarmRule = Static<typeof AlarmRule>;

const basedOn = Type.Optional(
  Type.Integer({ minimum: 0, description: 'The version that is changed: refused when the present one differs' }),
);
const somewhere = {
  reactor_unit: Type.Optional(Type.String({ maxLength: textLimit, description: 'Only for this unit' })),
  experiment: Type.Optional(Type.String({ maxLength: textLimit, description: 'Only for this experiment' })),
};

export const AlarmRuleChange = closed(
  {
    severity: Type.Optional(AlarmSeverity),
    is_enabled: Type.Optional(Type.Boolean()),
    parameters: Type.Optional(ParameterValues),
    ...somewhere,
    author,
    based_on: basedOn,
  },
  { title: 'AlarmRuleChange', description: 'What is absent stays as it is' },
);
export type AlarmRuleChange = Static<typeof AlarmRuleChange>;

export const AlarmRuleReset = closed({ ...somewhere, author, based_on: basedOn }, { title: 'AlarmRuleReset' });
export type AlarmRuleReset = Static<typeof AlarmRuleReset>;

/** `ping`: an external dead-man service that raises an alarm itself when the leader's requests stop. */
export const AlarmChannelKind = Type.Union([Type.Literal('email'), Type.Literal('webhook'), Type.Literal('ping')], {
  title: 'AlarmChannelKind',
});
export type AlarmChannelKind = Static<typeof AlarmChannelKind>;

const PingMethod = Type.Union([Type.Literal('GET'), Type.Literal('POST')]);

/** A notification channel. Answers never contain secrets. */
export const AlarmChannel = closed(
  {
    channel_id: Type.String({ format: 'uuid' }),
    kind: AlarmChannelKind,
    name: Type.String(),
    is_enabled: Type.Boolean(),
    min_severity: AlarmSeverity,
    remind_hours: Type.Number({ minimum: 0, description: 'Interval of reminders while unacknowledged; 0: none' }),
    tells_return: Type.Boolean({ description: 'Whether the end of a condition is sent too' }),
    to: Type.Array(Type.String(), { description: 'E-mail addresses' }),
    url: Nullable(Type.String()),
    has_secret: Type.Boolean({ description: 'Whether webhooks are signed' }),
    method: Nullable(PingMethod),
    every_minutes: Nullable(Type.Number({ description: 'Of a ping' })),
    created_at: Timestamp,
    changed_at: Timestamp,
    waiting: Type.Integer({ minimum: 0, description: 'Notices that are not delivered yet' }),
    last_success_at: Nullable(Timestamp),
    last_error: Nullable(Type.String()),
    last_error_at: Nullable(Timestamp),
  },
  { title: 'AlarmChannel' },
);
export type AlarmChannel = Static<typeof AlarmChannel>;

const channelFields = {
  is_enabled: Type.Optional(Type.Boolean()),
  min_severity: Type.Optional(AlarmSeverity),
  remind_hours: Type.Optional(Type.Number({ minimum: 0, maximum: 168 })),
  tells_return: Type.Optional(Type.Boolean()),
  to: Type.Optional(Type.Array(Type.String({ maxLength: 254 }), { maxItems: 50 })),
  url: Type.Optional(Type.String({ maxLength: 2_000, description: 'http or https, of a webhook or ping' })),
  secret: Type.Optional(
    Nullable(Type.String({ maxLength: 500, description: 'Signs the bodies of a webhook; null: no more' })),
  ),
  method: Type.Optional(PingMethod),
  every_minutes: Type.Optional(Type.Number({ minimum: 1, maximum: 1440 })),
};
const channelName = Type.String({ maxLength: 100 });

export const AlarmChannelCreation = closed(
  { kind: AlarmChannelKind, name: channelName, ...channelFields },
  { title: 'AlarmChannelCreation' },
);
export type AlarmChannelCreation = Static<typeof AlarmChannelCreation>;

export const AlarmChannelChange = closed(
  { name: Type.Optional(channelName), ...channelFields },
  { title: 'AlarmChannelChange', description: 'What is absent stays as it is' },
);
export type AlarmChannelChange = Static<typeof AlarmChannelChange>;

const AlarmNotice = Type.Union([
  Type.Literal('raised'),
  Type.Literal('returned'),
  Type.Literal('reminder'),
  Type.Literal('drill'),
  Type.Literal('test'),
]);
export type AlarmNotice = Static<typeof AlarmNotice>;

/** One notice to one channel. */
export const AlarmDelivery = closed(
  {
    delivery_id: Type.Integer({ minimum: 1 }),
    channel_id: Type.String({ format: 'uuid' }),
    channel: Type.String({ description: 'Its name' }),
    alarm_id: Nullable(Type.String()),
    notice: AlarmNotice,
    state: Type.Union([Type.Literal('waiting'), Type.Literal('delivered'), Type.Literal('given_up')]),
    attempts: Type.Integer({ minimum: 0 }),
    created_at: Timestamp,
    next_at: Nullable(Timestamp),
    ended_at: Nullable(Timestamp),
    error: Nullable(Type.String({ description: 'Of the last attempt that failed' })),
  },
  { title: 'AlarmDelivery' },
);
export type AlarmDelivery = Static<typeof AlarmDelivery>;

export const AlarmDeliveryQuery = Type.Object({
  channel: Type.Optional(Type.String({ maxLength: textLimit, description: 'A channel_id' })),
  skip,
  limit,
});
export type AlarmDeliveryQuery = Static<typeof AlarmDeliveryQuery>;

/** What is wrong with one parameter of a rule, or one field of a channel: an entry of `diagnostics`. */
export const AlarmFieldFault = closed({
  parameter: Type.Optional(Type.String()),
  field: Type.Optional(Type.String()),
  message: Type.String(),
});
export type AlarmFieldFault = Static<typeof AlarmFieldFault>;

/** How an attempt on one channel went. */
export const AlarmChannelResult = closed(
  {
    channel_id: Type.String(),
    channel: Type.String(),
    kind: AlarmChannelKind,
    delivered: Type.Boolean(),
    error: Nullable(Type.String()),
    took_ms: Type.Integer({ minimum: 0 }),
  },
  { title: 'AlarmChannelResult' },
);
export type AlarmChannelResult = Static<typeof AlarmChannelResult>;

/** The result of a drill's task. */
export const AlarmDrillResult = closed(
  {
    alarm_id: Type.String(),
    recorded: Type.Boolean({ description: 'The alarm was read back from the disk' }),
    shown_live: Type.Boolean({ description: 'The live event was seen' }),
    channels: Type.Array(AlarmChannelResult),
    cleared: Type.Boolean(),
  },
  { title: 'AlarmDrillResult' },
);
export type AlarmDrillResult = Static<typeof AlarmDrillResult>;

export const AlarmDrill = closed({ author, comment }, { title: 'AlarmDrill' });
export type AlarmDrill = Static<typeof AlarmDrill>;
