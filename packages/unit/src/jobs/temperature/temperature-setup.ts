import type { Model } from '@lcs/contract';
import type { CoolingPlan, ThermostatGains } from '@lcs/domain';

/** The parameters of a run of the temperature job. */
export interface TemperatureSetup {
  readonly automationName: string;
  readonly plan: CoolingPlan;
  /** Absent: it only records. */
  readonly thermostat:
    | {
        readonly gains: ThermostatGains;
        readonly targetC: number;
        readonly model: Model;
        /** The duty (%) that held this target before; undefined when unknown. */
        readonly heldDuty: number | undefined;
      }
    | undefined;
  /** Name and hash of the active trim by a probe. */
  readonly trim: { readonly name: string; readonly hash: string } | undefined;
}
