import type { DrawnFinding, DrawnUnit, RehearsedQuantity } from '@lcs/domain';
import type { JobLogLevel, JobReading } from '@lcs/node';
import type { MemoryUnit } from '@lcs/unit';

/** Readings of jobs that are predicted, by source. */
const sources: ReadonlyMap<string, RehearsedQuantity> = new Map([
  ['od', 'od'],
  ['growth_rate', 'growth_rate'],
  ['temperature', 'temperature'],
]);

/** From this overflow on a person has to wipe, ml. */
const spiltMl = 0.5;

/** A culture below this share of its highest density, while medium flows, is washed out. */
const washedOutShare = 0.05;

/** A density this far above its target for so long: the pumps do not keep up. */
const aboveTarget = 1.25;
const aboveTargetHours = 1;

/** A value is the present one for so long, or until the next point of the curve. */
const presentHours = 0.2;

type Values = Record<RehearsedQuantity, (number | null)[]>;

/** What a unit of a rehearsal shows over the time, and what is noteworthy about it. */
export class Course {
  readonly #unit: MemoryUnit;
  readonly #hours: () => number;
  readonly #values: Values = {
    od: [],
    growth_rate: [],
    temperature: [],
    volume: [],
    media_used: [],
    alt_media_used: [],
    waste: [],
  };
  readonly #newest = new Map<RehearsedQuantity, { readonly value: number; readonly atHours: number }>();
  readonly #findings = new Map<string, DrawnFinding>();
  /** The last point of time of the curves. */
  #sampledHours = 0;
  #highestOd = 0;
  #aboveSince: number | undefined;

  /** @param hours since the start of the profile */
  constructor(unit: MemoryUnit, hours: () => number) {
    this.#unit = unit;
    this.#hours = hours;
  }

  reading({ source, value }: Pick<JobReading, 'source' | 'value'>): void {
    const quantity = sources.get(source);
    if (quantity !== undefined) this.#newest.set(quantity, { value, atHours: this.#hours() });
  }

  /** Faults that a job reports are what would happen in the real run. */
  log(job: string, level: JobLogLevel, message: string): void {
    if (level === 'ERROR' || level === 'CRITICAL') this.#note('warning', `job_error:${job}`, message);
  }

  /** A point of time of the curves. */
  sample(): void {
    const { vial } = this.#unit.board.plant ?? {};
    if (vial === undefined) return;
    const { volumeMl, ledger, reservoirsMl } = vial.state;
    for (const quantity of sources.values()) this.#values[quantity].push(this.#present(quantity) ?? null);
    this.#values.volume.push(volumeMl);
    this.#values.media_used.push(ledger.media);
    this.#values.alt_media_used.push(ledger.altMedia);
    this.#values.waste.push(ledger.waste);
    if (reservoirsMl.media <= 0 && ledger.media > 0)
      this.#note('error', 'media_bottle_empty', 'The medium bottle is empty.');
    if (reservoirsMl.alt_media <= 0 && ledger.altMedia > 0)
      this.#note('error', 'alt_media_bottle_empty', 'The bottle of the alternative medium is empty.');
    if (ledger.spilled > spiltMl)
      this.#note('error', 'overflow', 'The vial overflows: its waste pump does not keep up.');
    this.#watchDensity(vial.od, ledger.media + ledger.altMedia > 0);
    this.#sampledHours = this.#hours();
  }

  get findings(): readonly DrawnFinding[] {
    return [...this.#findings.values()];
  }

  get drawn(): DrawnUnit {
    return { unit: this.#unit.name, values: this.#values };
  }

  #watchDensity(od: number, isDiluted: boolean): void {
    this.#highestOd = Math.max(this.#highestOd, od);
    if (isDiluted && od < washedOutShare * this.#highestOd)
      this.#note('error', 'washed_out', 'The culture is washed out: it is diluted faster than it grows.');
    const ratio = this.#ratioToTarget();
    if (ratio === undefined || ratio < aboveTarget) this.#aboveSince = undefined;
    else this.#aboveSince ??= this.#hours();
    if (this.#aboveSince !== undefined && this.#hours() - this.#aboveSince >= aboveTargetHours)
      this.#note(
        'warning',
        'target_not_held',
        'The density stays above its target: the pumps do not keep up with growth.',
      );
  }

  /** The newest value, as long as its job measures. */
  #present(quantity: RehearsedQuantity): number | undefined {
    const newest = this.#newest.get(quantity);
    if (newest === undefined) return undefined;
    const oldest = Math.min(this.#sampledHours, this.#hours() - presentHours);
    return newest.atHours < oldest ? undefined : newest.value;
  }

  /** Of a turbidostat on OD readings. */
  #ratioToTarget(): number | undefined {
    const { runtime } = this.#unit;
    if (runtime.running({ jobName: 'dosing_automation' }).length === 0) return undefined;
    const { automation_name, target_biomass, biomass_signal } = runtime.settings('dosing_automation');
    const od = this.#present('od');
    const isOnOd = automation_name === 'turbidostat' && biomass_signal === 'od';
    return isOnOd && od !== undefined && typeof target_biomass === 'number' && target_biomass > 0
      ? od / target_biomass
      : undefined;
  }

  /** The first time counts. */
  #note(severity: DrawnFinding['severity'], code: string, message: string): void {
    if (this.#findings.has(code)) return;
    this.#findings.set(code, { severity, code, unit: this.#unit.name, message, atHours: this.#hours() });
  }
}
