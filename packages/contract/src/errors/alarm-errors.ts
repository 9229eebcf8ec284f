import { define } from './error-definition.ts';

/** Errors of alarms, their rules and their channels. */
export const alarmErrors = {
  alarm_not_found: define<{ alarm: string }>(404, ({ alarm }) => ({
    error: 'The alarm does not exist.',
    cause: `No alarm has the id ${alarm}; the alarms of a deleted experiment are deleted with it.`,
    remediation: 'List /api/alarms and pick one of them.',
  })),
  alarm_cleared: define<{ alarm: string }>(409, ({ alarm }) => ({
    error: 'The alarm is closed.',
    cause: `${alarm} was cleared: its condition is over and someone has acknowledged it.`,
    remediation: 'No action is needed. List /api/alarms for the open alarms.',
  })),
  alarm_not_shelved: define<{ alarm: string }>(409, ({ alarm }) => ({
    error: 'The alarm is not shelved.',
    cause: `${alarm} was not shelved, or its shelving has ended.`,
    remediation: 'List /api/alarms?state=shelved for the shelved alarms.',
  })),
  alarm_shelf_invalid: define<{ cause: string }>(400, ({ cause }) => ({
    error: 'The time of the shelving is not valid.',
    cause,
    remediation: 'Send minutes (1 to 1440) or until, a moment within the next 24 hours.',
  })),
  alarms_not_evaluated: define(500, () => ({
    error: 'The alarm conditions could not be evaluated.',
    cause: 'A step of the evaluation failed, so that no alarm can be raised.',
    remediation: 'Read the log of the leader for the cause, then try again.',
  })),
  alarm_rule_not_found: define<{ rule: string }>(404, ({ rule }) => ({
    error: `There is no alarm rule ${rule}.`,
    remediation: 'List /api/alarms/rules and pick one of them.',
  })),
  alarm_rule_invalid: define<{ cause: string; parameter?: string | undefined }>(400, ({ cause, parameter }) => ({
    error: 'The values of the alarm rule are not valid.',
    cause,
    remediation: 'Send parameters and values within the ranges of the rule (GET /api/alarms/rules).',
    field: parameter,
  })),
  alarm_rule_changed: define<{ rule: string; version: number }>(409, ({ rule, version }) => ({
    error: 'Someone else has changed the rule meanwhile.',
    cause: `${rule} has version ${version} now.`,
    remediation: 'Read the rule again and repeat the change.',
  })),
  alarm_channel_not_found: define<{ channel: string }>(404, ({ channel }) => ({
    error: 'The channel does not exist.',
    cause: `No channel has the id ${channel}.`,
    remediation: 'List /api/alarms/channels and pick one of them.',
  })),
  alarm_channel_invalid: define<{ cause: string; field: string }>(400, ({ cause, field }) => ({
    error: 'The values of the channel are not valid.',
    cause,
    remediation: 'An e-mail channel requires `to`; a webhook or ping requires `url` (http or https).',
    field,
  })),
  alarm_channel_name_taken: define<{ name: string }>(409, ({ name }) => ({
    error: 'The name of the channel is taken.',
    cause: `There is a channel ${name} already.`,
    remediation: 'Pick another name.',
    field: 'name',
  })),
} as const;
