import { type HotRun, isBoardTemperature, updateHotRun } from '@lcs/domain';
import type { JobContext, JobLogLevel } from '@lcs/node';
import { faultCodes } from '../shared/fault-codes.ts';
import { isHardwareFault } from '../shared/hardware-fault.ts';
import { whileRunning } from '../shared/held-output.ts';
import type { UnitDevices } from '../unit-devices.ts';

/** Room temperature never warms the heater's board to this: the heater is on. */
const hotBoardCelsius = 65;
/** Where no model is known: the lowest limit of all. */
const highestBoardCelsius = 66;

/**
 * The computer is switched off only after so many hot readings in a row, each near the one before, a second apart. Chosen: a
 * heater that is stuck stays hot for that long; a bus that gives any numbers does that once in a million looks, which are a
 * minute apart (a quarter of them is as hot, 1 in 25 is near the last).
 */
const hotReadingsToAct = 5;
const readEveryMs = 1_000;
/** The most readings of one check; failed and implausible ones are skipped. */
const mostReadings = 15;

type LogOnce = (what: string, level: JobLogLevel, message: string) => void;

/** The guard keeps a heater within its limits; a hotter one, or a hot one without a heating job, is out of control. */
export class HeaterWatch {
  readonly #context: JobContext;
  readonly #devices: Pick<UnitDevices, 'boardTemperature' | 'modelOf' | 'powerOff' | 'showFault'>;
  readonly #log: LogOnce;

  constructor(
    context: JobContext,
    devices: Pick<UnitDevices, 'boardTemperature' | 'modelOf' | 'powerOff' | 'showFault'>,
    log: LogOnce,
  ) {
    this.#context = context;
    this.#devices = devices;
    this.#log = log;
  }

  /** One check; takes some seconds when the board seems too hot. @throws what ends the job */
  async check(): Promise<void> {
    let run: HotRun | undefined;
    for (let reading = 1; reading <= mostReadings; reading += 1) {
      const celsius = await this.#read();
      if (celsius === undefined && run === undefined) return;
      if (celsius !== undefined) run = updateHotRun(run, celsius, this.#highest().celsius);
      if (run === undefined) return;
      if (run.count >= hotReadingsToAct) return this.#act(run.celsius);
      await whileRunning(this.#context.signal, this.#context.clock.sleep(readEveryMs));
    }
  }

  /** °C; undefined, and logged, when there is none. */
  async #read(): Promise<number | undefined> {
    const { signal } = this.#context;
    try {
      const celsius = await whileRunning(signal, this.#devices.boardTemperature.readCelsius());
      if (isBoardTemperature(celsius)) return celsius;
      this.#logUnwatched(`The sensor of the heater's board reports ${celsius} °C, which is impossible.`);
    } catch (error) {
      signal.throwIfAborted();
      if (!isHardwareFault(error)) throw error;
      this.#logUnwatched(error.message);
    }
    return undefined;
  }

  #logUnwatched(why: string): void {
    this.#log('heater board', 'NOTICE', `${why} The heater's board is not monitored until then.`);
  }

  /** The present limit of the board's temperature, with its reason. */
  #highest(): { readonly celsius: number; readonly why: string } {
    const { topics, model: named } = this.#context;
    const model = named && this.#devices.modelOf(named.name, named.version);
    const limitC = model?.max_temp_to_shutdown ?? highestBoardCelsius;
    const heating = topics.states.latest('temperature_automation')?.state;
    const isHeated = heating === 'init' || heating === 'ready';
    if (isHeated || limitC <= hotBoardCelsius) return { celsius: limitC, why: `beyond its limit of ${limitC} °C` };
    return { celsius: hotBoardCelsius, why: 'although no job heats' };
  }

  async #act(celsius: number): Promise<void> {
    const { why } = this.#highest();
    this.#devices.showFault(faultCodes.heat);
    const isOff = await this.#devices.powerOff();
    const next = isOff ? 'the computer is switched off.' : 'cut the power of this unit, and check its heater.';
    this.#log('heater', 'ERROR', `The heater's board is at ${celsius.toFixed(0)} °C ${why}: ${next}`);
  }
}
