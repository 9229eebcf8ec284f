import { odReadingSettings, settingOrDefault } from '@lcs/domain';
import type { NodeNow } from '@lcs/node';

/** Seconds between two readings of the optical density: of the job that runs, else those of its next start by the configuration. */
export function readingEveryS({ topics, config }: Pick<NodeNow, 'topics' | 'config'>): number {
  const running = topics.settings.latest('od_reading/interval');
  if (typeof running === 'number' && running > 0) return running;
  return 1 / settingOrDefault(config, odReadingSettings.samplesPerSecond);
}
