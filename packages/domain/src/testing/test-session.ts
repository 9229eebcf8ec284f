import type { Json } from '@lcs/contract';
import type { ActionResult, Advance, ProtocolAction, ProtocolFacts, SessionFile } from '../protocols/protocol.ts';
import { protocolFor } from '../protocols/protocols.ts';
import { SessionData } from '../protocols/session-data.ts';
import { StepInputs } from '../protocols/step-inputs.ts';

export const factsOfUnit: ProtocolFacts = {
  unit: 'unit1',
  nowMs: Date.UTC(2026, 10, 21, 4, 24),
  runningJobs: ['monitor'],
  pluginPumpJobs: [],
  pumpChannel: () => '2',
  pumpHz: 250,
  longestPumpRunS: 133,
  photodiodes: [
    { channel: '1', angle: 'REF' },
    { channel: '2', angle: '90' },
  ],
  irLedIntensity: 80,
  initialRpm: 500,
  initialDuty: 30,
  stirrerHz: 200,
  model: 'reactor_40ml',
  calibrationExists: () => false,
  estimatorExists: () => false,
  fusedEstimators: [],
  experiment: 'exp1',
  activeForOd: [],
};

export const xrFacts: ProtocolFacts = {
  ...factsOfUnit,
  model: 'reactor_40ml_XR',
  photodiodes: [
    { channel: '1', angle: 'REF' },
    { channel: '2', angle: '90' },
    { channel: '3', angle: '135' },
    { channel: '4', angle: '45' },
  ],
};

/** Light of a culture at the three angles, by channel. */
export const lightOf = (od: number) => ({
  '2': (0.07 * od) / (1 + (od / 6) ** 2),
  '3': (1.2 * od) / (1 + (od / 1.5) ** 2.2),
  '4': 0.03 + 0.02 * od,
});

export const scaled = (values: Readonly<Record<string, number>>, factor: number) =>
  Object.fromEntries(Object.entries(values).map(([channel, value]) => [channel, factor * value]));

export const signalsAt = (od: number) => ({ '90': lightOf(od)['2'], '135': lightOf(od)['3'], '45': lightOf(od)['4'] });

/** A session in memory, whose hardware is a function. */
export class PlainSession {
  readonly #device: string;
  readonly #name: string;
  readonly #facts: ProtocolFacts;
  readonly #work: (action: ProtocolAction) => ActionResult;
  stepId: string;
  data: Record<string, Json>;
  files: readonly SessionFile[] = [];
  result: Readonly<Record<string, Json>> | undefined;

  constructor(device: string, name: string, facts: ProtocolFacts, work: (action: ProtocolAction) => ActionResult) {
    this.#device = device;
    this.#name = name;
    this.#facts = facts;
    this.#work = work;
    const { stepId, data } = this.#protocol.start(device, facts);
    this.stepId = stepId;
    this.data = { ...data };
  }

  get #protocol() {
    const protocol = protocolFor(this.#device, this.#name, this.#facts);
    if (protocol === undefined) throw new Error('There is no such protocol.');
    return protocol;
  }

  get #state() {
    return { device: this.#device, stepId: this.stepId, data: new SessionData(this.data) };
  }

  get step() {
    return this.#protocol.step(this.#state, this.#facts);
  }

  gives(values: Readonly<Record<string, unknown>> = {}): string {
    const inputs = new StepInputs(this.step.fields, values);
    let next: Advance = this.#protocol.advance(this.#state, inputs, this.#facts);
    while (next.kind === 'act') next = next.proceed(this.#work(next.action));
    // As a session is kept on disk.
    this.data = JSON.parse(JSON.stringify({ ...this.data, ...next.data }));
    if (next.kind === 'step') {
      this.stepId = next.stepId;
      return this.stepId;
    }
    this.files = next.files;
    this.result = next.result(next.files.map(({ device }) => ({ device, name: 'stored', path: 'p' })));
    return 'complete';
  }
}

export const noHardware = (): ActionResult => {
  throw new Error('Nothing may run here.');
};
