import type { CalibrationSession, SessionEnvelope } from '@lcs/contract';
import type { VialPlant } from '@lcs/hardware';
import type { UnitUnderTest } from '@lcs/testkit';

/** Calibration files of a pump, a stirrer and a photodiode. */
export const pumpYaml = (name = 'media-2026') => `# made by hand
calibration_type: simple_peristaltic_pump
calibration_name: ${name}
calibrated_on_pioreactor_unit: unit1
created_at: 2026-11-20T10:00:00Z
curve_data_: {type: poly, coefficients: [0.5, 0.0]}
recorded_data: {x: [1.0, 2.0], y: [0.5, 1.0]}
hz: 250
dc: 100.0
voltage: 12.0
`;

export const stirringYaml = `calibration_type: simple_stirring
calibration_name: st-1
calibrated_on_reactor_unit: unit1
created_at: 2026-11-20T10:00:00Z
curve_data_: {type: poly, coefficients: [10, -5]}
recorded_data: {x: [20, 90], y: [195, 895]}
pwm_hz: 200
voltage: 5
`;

export const odYaml = `calibration_type: od600
calibration_name: od-cal-2026
calibrated_on_reactor_unit: unit1
created_at: 2026-01-02T03:04:05Z
curve_data_: {type: spline, knots: [0.0, 1.0], coefficients: [[0.01, 0.5, 0.0, 0.0]]}
recorded_data: {x: [0.0, 1.0], y: [0.01, 0.51]}
ir_led_intensity: 80.0
angle: "90"
pd_channel: "2"
`;

/** An estimator of fused optical density. */
export const est1Yaml = `estimator_type: od_fused_estimator
estimator_name: est1
calibrated_on_reactor_unit: unit1
created_at: 2026-01-02T03:04:05Z
ir_led_intensity: 80
angles: ["45", "90", "135"]
mu_splines: &curves
  "45": {type: akima, knots: [0, 1], coefficients: [[0.1, 1, 0, 0]]}
  "90": {type: akima, knots: [0, 1], coefficients: [[0.1, 1, 0, 0]]}
  "135": {type: akima, knots: [0, 1], coefficients: [[0.1, 1, 0, 0]]}
sigma_splines_log: *curves
min_logc: 0
max_logc: 1
sigma_floor: 0.04
recorded_data: {}
`;

/** The vial behind the board of a unit in this process. */
export function plantOf(unit: UnitUnderTest): VialPlant {
  const { plant } = unit.node.board;
  if (plant === undefined) throw new Error('The board is not in this process.');
  return plant;
}

/** A person takes the vial out and places another one, of this optical density. */
export function placeVial(unit: UnitUnderTest, od: number): void {
  const plant = plantOf(unit);
  const state = plant.state(unit.clock.monotonic());
  const cells = od * plant.vial.parameters.organism.gramsPerOd;
  const culture = { ...state.vial.state.culture, cells, substrate: 0 };
  plant.replace({ ...state, vial: { ...state.vial, state: { ...state.vial.state, culture, opticalCells: cells } } }, 0);
}

const turnOfEventLoop = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Lets the unit's time pass until `work` has ended, 200 ms of it after each `pause`. */
export async function whileTimePasses<Result>(
  unit: Pick<UnitUnderTest, 'clock'>,
  work: Promise<Result>,
  pause: () => Promise<void> = turnOfEventLoop,
): Promise<Result> {
  let isDone = false;
  const settle = () => {
    isDone = true;
  };
  work.then(settle, settle);
  while (!isDone) {
    await unit.clock.advance(200);
    await pause();
  }
  return work;
}

/** A person who works through one session. */
export class Person {
  readonly #unit: UnitUnderTest;
  #envelope: SessionEnvelope;

  private constructor(unit: UnitUnderTest, envelope: SessionEnvelope) {
    this.#unit = unit;
    this.#envelope = envelope;
  }

  static async start(unit: UnitUnderTest, target_device: string, protocol_name: string): Promise<Person> {
    const body = { target_device, protocol_name };
    return new Person(unit, await unit.client.startUnitCalibrationSession({ body }));
  }

  get session(): CalibrationSession {
    return this.#envelope.session;
  }

  get step(): NonNullable<SessionEnvelope['step']> {
    const { step } = this.#envelope;
    if (step === null) throw new Error('There is no step.');
    return step;
  }

  get params(): { readonly session_id: string } {
    return { session_id: this.session.session_id };
  }

  /** Sends inputs; returns the ID of the next step. */
  async submits(inputs: Readonly<Record<string, unknown>> = {}): Promise<string> {
    const call = this.#unit.client.advanceUnitCalibrationSession({ params: this.params, body: { inputs } });
    this.#envelope = await whileTimePasses(this.#unit, call);
    return this.step.step_id;
  }

  /** Requests the session again, as after a reload of the page. */
  async reload(): Promise<void> {
    this.#envelope = await this.#unit.client.getUnitCalibrationSession({ params: this.params });
  }
}
