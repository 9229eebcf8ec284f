import type { Model } from '@lcs/contract';
import type { CoolingPlan, ProbeComparison, ThermostatGains } from '@lcs/domain';

/** The parameters of a run of the temperature job. */
export interface TemperatureSetup {
  readonly automationName: string;
  readonly plan: CoolingPlan;
  /** Of the reactor, ml; undefined when its model is unknown. */
  readonly capacityMl: number | undefined;
  /** Absent: it only records. */
  readonly thermostat:
    | {
        readonly gains: ThermostatGains;
        readonly targetC: number;
        readonly model: Model;
      }
    | undefined;
  /** The active trim: comparisons with a probe. */
  readonly trim:
    | { readonly name: string; readonly hash: string; readonly comparisons: readonly ProbeComparison[] }
    | undefined;
}
