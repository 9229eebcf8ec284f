import type { Alarm } from '@lcs/contract';

/** The rule of the alarm that a job has ended without a stop by a person; its detail is the job. */
export const endedByErrorRule = 'job_ended_by_error';

/** The newest alarm of a unit about the end of this job that is not over; undefined: none. */
export const endedByError = (alarms: readonly Alarm[], experiment: string, jobName: string): Alarm | undefined =>
  alarms
    .filter(
      (alarm) =>
        alarm.rule === endedByErrorRule &&
        alarm.detail === jobName &&
        alarm.experiment === experiment &&
        alarm.state !== 'cleared',
    )
    .sort((left, right) => (left.since < right.since ? 1 : -1))[0];
