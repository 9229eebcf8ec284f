import type { LeaderHealth } from '@lcs/contract';
import { roughSpanText } from '@lcs/domain';
import { countText } from '../ui/number-text.ts';
import { sizeText } from '../ui/size-text.ts';
import { commonWords } from '../words/common.ts';
import { settingsWords } from '../words/settings.ts';

const longDays = 3650;

/** How long the disk lasts: `At 40 MB a day, 61 days left`. */
export function forecastText({ bytes_per_day, days_left }: Pick<LeaderHealth, 'bytes_per_day' | 'days_left'>): string {
  if (bytes_per_day === null) return settingsWords.lessThanHourOfReadings;
  if (days_left === null) return settingsWords.noForecast;
  const left = days_left > longDays ? settingsWords.moreThan10Years : settingsWords.dayCount(Math.floor(days_left));
  return settingsWords.atDayLeft(sizeText(bytes_per_day), left);
}

const shareOf = (available: number, total: number): string =>
  total === 0 ? '' : ` (${Math.round((100 * available) / total)}\u00a0%)`;

/** A value of the leader with what explains it. */
interface HealthFact {
  readonly name: string;
  readonly value: string;
  readonly detail: string;
  readonly isBad: boolean;
}

/** What the state of the broker means; units and pages do not need it. */
const brokerTexts = {
  embedded: { value: commonWords.running, detail: settingsWords.ofThisLeader },
  connected: { value: settingsWords.connected, detail: settingsWords.external },
  unreachable: { value: settingsWords.cannotBeReached, detail: settingsWords.otherProgramsReceiveNothing },
  off: { value: commonWords.off, detail: settingsWords.byConfigurationOfThisLeader },
} as const;

const fewDays = 14;
const littleMemory = 0.1;

export function healthFacts(health: LeaderHealth, nowMs: number): readonly HealthFact[] {
  const { disk, memory, load, database_bytes, readings_per_day, days_left, started_at, broker } = health;
  return [
    {
      name: settingsWords.disk,
      value: settingsWords.spaceFreeWith(
        sizeText(disk.available_bytes),
        shareOf(disk.available_bytes, disk.total_bytes),
      ),
      detail: forecastText(health),
      isBad: days_left !== null && days_left < fewDays,
    },
    {
      name: settingsWords.database,
      value: sizeText(database_bytes),
      detail: settingsWords.readingsInLast24Hours(countText(readings_per_day)),
      isBad: false,
    },
    {
      name: settingsWords.memory,
      value: settingsWords.spaceFree(sizeText(memory.available_bytes)),
      detail: settingsWords.ofSize(sizeText(memory.total_bytes)),
      isBad: memory.available_bytes < littleMemory * memory.total_bytes,
    },
    {
      name: settingsWords.load,
      value: `${Math.round((100 * load.one_minute) / load.cores)} %`,
      detail: settingsWords.ofOverLastMinute(load.cores),
      isBad: load.one_minute > 2 * load.cores,
    },
    { name: settingsWords.mqttBroker, ...brokerTexts[broker], isBad: broker === 'unreachable' },
    {
      name: settingsWords.runningFor,
      value: roughSpanText(Math.max(0, nowMs - Date.parse(started_at))),
      detail: settingsWords.versionIs(health.version),
      isBad: false,
    },
  ];
}
