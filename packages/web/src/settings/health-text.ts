import type { LeaderHealth } from '@lcs/contract';
import { roughSpanText } from '@lcs/domain';
import { countText } from '../ui/number-text.ts';
import { sizeText } from '../ui/size-text.ts';

const longDays = 3650;

/** How long the disk lasts: `At 40 MB a day, 61 days left`. */
export function forecastText({ bytes_per_day, days_left }: Pick<LeaderHealth, 'bytes_per_day' | 'days_left'>): string {
  if (bytes_per_day === null) return 'Less than an hour of readings: no forecast yet';
  if (days_left === null) return 'No readings in the last 24 hours: no forecast';
  const left = days_left > longDays ? 'more than 10 years' : `${Math.floor(days_left)} days`;
  return `At ${sizeText(bytes_per_day)} a day, ${left} left`;
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
  embedded: { value: 'Running', detail: 'of this leader' },
  connected: { value: 'Connected', detail: 'external' },
  unreachable: { value: 'Cannot be reached', detail: 'Other programs receive nothing; units and these pages go on' },
  off: { value: 'Off', detail: 'by the configuration of this leader' },
} as const;

const fewDays = 14;
const littleMemory = 0.1;

export function healthFacts(health: LeaderHealth, nowMs: number): readonly HealthFact[] {
  const { disk, memory, load, database_bytes, readings_per_day, days_left, started_at, broker } = health;
  return [
    {
      name: 'Disk',
      value: `${sizeText(disk.available_bytes)} free${shareOf(disk.available_bytes, disk.total_bytes)}`,
      detail: forecastText(health),
      isBad: days_left !== null && days_left < fewDays,
    },
    {
      name: 'Database',
      value: sizeText(database_bytes),
      detail: `${countText(readings_per_day)} readings in the last 24 hours`,
      isBad: false,
    },
    {
      name: 'Memory',
      value: `${sizeText(memory.available_bytes)} free`,
      detail: `of ${sizeText(memory.total_bytes)}`,
      isBad: memory.available_bytes < littleMemory * memory.total_bytes,
    },
    {
      name: 'Load',
      value: `${Math.round((100 * load.one_minute) / load.cores)} %`,
      detail: `of ${load.cores} ${load.cores === 1 ? 'core' : 'cores'}, over the last minute`,
      isBad: load.one_minute > 2 * load.cores,
    },
    { name: 'MQTT broker', ...brokerTexts[broker], isBad: broker === 'unreachable' },
    {
      name: 'Running for',
      value: roughSpanText(Math.max(0, nowMs - Date.parse(started_at))),
      detail: `version ${health.version}`,
      isBad: false,
    },
  ];
}
