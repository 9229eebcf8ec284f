import { declaredSetting } from '@lcs/domain';
import type { IniView } from '@lcs/platform';

/** The properties of a running job that determine which configuration it has read. */
export interface ConfigReader {
  readonly origin: { readonly jobId: number; readonly jobName: string };
  readonly definition: { readonly isActuating: boolean };
}

/** Jobs that read a section at their start, in addition to those named like its first part. */
const readByJobs: ReadonlyMap<string, (job: ConfigReader) => boolean> = new Map([
  ['PWM', ({ definition }: ConfigReader) => definition.isActuating],
  [
    'leds',
    ({ origin, definition }: ConfigReader) =>
      definition.isActuating || ['od_reading', 'od_blank'].includes(origin.jobName),
  ],
  ['od_config', ({ origin }: ConfigReader) => origin.jobName === 'od_reading'],
]);

const reads = (job: ConfigReader, section: string): boolean => {
  const owner = section.split('.', 1)[0] ?? section;
  return owner === job.origin.jobName || readByJobs.get(owner)?.(job) === true;
};

/** The keys whose effective value differs, as `[section, key]`. */
function changedKeys(before: IniView, after: IniView): readonly (readonly [section: string, key: string])[] {
  const sections = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...sections].flatMap((section) => {
    const old = before[section] ?? {};
    const now = after[section] ?? {};
    const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
    return [...keys].filter((key) => old[key] !== now[key]).map((key) => [section, key] as const);
  });
}

/** The changed keys that a running job reads only at its next start. */
export class RestartNeeds {
  /** By `section.key`: the jobs that must start again, or the node. */
  readonly #needs = new Map<string, 'node' | readonly number[]>();

  note(before: IniView, after: IniView, running: readonly ConfigReader[]): void {
    for (const [section, key] of changedKeys(before, after)) {
      const readers =
        declaredSetting(section, key)?.needsRestart === 'node'
          ? 'node'
          : running.filter((job) => reads(job, section)).map(({ origin }) => origin.jobId);
      if (readers.length > 0) this.#needs.set(`${section}.${key}`, readers);
    }
  }

  /** Keys as `section.key`, given the jobs that still run. */
  list(runningIds: ReadonlySet<number>): readonly string[] {
    return [...this.#needs]
      .filter(([, readers]) => readers === 'node' || readers.some((id) => runningIds.has(id)))
      .map(([name]) => name)
      .sort();
  }
}
