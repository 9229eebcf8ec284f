import type { QuietPeriodNotice, StirrerNotice } from '@lcs/domain';
import type { JobContext, JobLogLevel } from '@lcs/node';

type Notice = readonly [level: JobLogLevel, message: string];
type Log = Pick<JobContext, 'log'>;

function noticeOf(notice: StirrerNotice): Notice {
  switch (notice.code) {
    case 'stalled':
      return ['WARNING', 'The stirrer does not turn although it is driven. The job gives it a kick.'];
    case 'stalled_for_good':
      return [
        'ERROR',
        'The stirrer does not turn, and kicks did not help. The job pauses. Check that the bar lies in the vial, that it is free, and that the speed sensor is connected. Then resume the job.',
      ];
    case 'bar_loose':
      return ['WARNING', `${tooFast(notice.rpm)}. The bar seems to be loose. The job stops and starts the motor.`];
    case 'bar_lost':
      return [
        'ERROR',
        `${tooFast(notice.rpm)}. The bar is lost, and kicks did not help. Check that there is a stir bar in the vial. Until then the job holds the motor at its speed.`,
      ];
  }
}

const tooFast = (rpm: number): string =>
  `The stirrer turns at ${rpm.toFixed(0)} RPM, much faster than before at the same duty`;

export function logStirrerNotice({ log }: Log, notice: StirrerNotice): void {
  log(...noticeOf(notice));
}

const quietPeriodNotices: Readonly<Record<QuietPeriodNotice, (everyS: number) => Notice>> = {
  speed_not_controlled: () => [
    'ERROR',
    'Without speed control the stirrer cannot slow down for optical readings. It turns evenly. Start stirring with use_rpm.',
  ],
  no_time_to_stir: (everyS) => [
    'ERROR',
    `Readings every ${everyS} s leave no time to stir between them. The stirrer turns evenly. Use a longer interval.`,
  ],
  little_time_to_stir: (everyS) => [
    'WARNING',
    `Readings every ${everyS} s leave little time to stir between them. Use a longer interval.`,
  ],
};

export function logQuietPeriodNotice(
  { log }: Log,
  { notice, intervalMs }: { readonly notice: QuietPeriodNotice; readonly intervalMs: number },
): void {
  log(...quietPeriodNotices[notice](intervalMs / 1000));
}
