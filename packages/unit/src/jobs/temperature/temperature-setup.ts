import type { Model } from '@lcs/contract';
import type { CoolingPlan, ThermostatGains } from '@lcs/domain';

/** What a run of the temperature job was told at its start. */
export interface TemperatureSetup {
  readonly automationName: string;
  readonly plan: CoolingPlan;
  /** Absent: it only records. */
  readonly thermostat:
    | {
        readonly gains: ThermostatGains;
        readonly targetC: number;
        readonly model: Model;
        /** %, that held this target before; undefined when nobody knows. */
        readonly heldDuty: number | undefined;
      }
    | undefined;
  /** Name and hash of the trim by a probe that is in force. */
  readonly trim: { readonly name: string; readonly hash: string } | undefined;
}
