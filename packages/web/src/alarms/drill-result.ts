import { type AlarmChannelResult, type AlarmDrillResult, type FinishedTask, ProblemError } from '@lcs/contract';

type Fields = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @throws ProblemError when the task itself failed */
function resultOf(task: FinishedTask): Fields {
  if (task.status === 'failed') {
    const { error, cause, remediation, code } = task;
    throw new ProblemError('answer', { error, cause, remediation, code, status: 500 });
  }
  return isRecord(task.result) ? task.result : {};
}

type Told = Pick<AlarmChannelResult, 'channel_id' | 'kind'> & { readonly name: string };

const toChannelResult = (result: Fields, told: Told): AlarmChannelResult => ({
  ...{ channel_id: told.channel_id, channel: told.name, kind: told.kind, delivered: result.delivered === true },
  error: typeof result.error === 'string' ? result.error : null,
  took_ms: typeof result.took_ms === 'number' ? result.took_ms : 0,
});

/** How the test of a channel went. @throws ProblemError */
export const channelResultOf = (task: FinishedTask, told: Told): AlarmChannelResult =>
  toChannelResult(resultOf(task), told);

/** How a drill went, as far as it is shown. @throws ProblemError */
export function drillResultOf(task: FinishedTask): Omit<AlarmDrillResult, 'alarm_id'> {
  const { recorded, shown_live, cleared, channels } = resultOf(task);
  const list = Array.isArray(channels) ? channels.filter(isRecord) : [];
  return {
    ...{ recorded: recorded === true, shown_live: shown_live === true, cleared: cleared === true },
    channels: list.map((each) => {
      const kind = each.kind === 'email' || each.kind === 'ping' ? each.kind : 'webhook';
      return toChannelResult(each, { channel_id: String(each.channel_id), name: String(each.channel), kind });
    }),
  };
}
