import { copyFileSync, cpSync, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { createUnitNode, type UnitNode } from '@lcs/cluster';
import { createClient, unitApi } from '@lcs/contract';
import { type VialPlant, type VialPlantSettings, vialPlantOf } from '@lcs/hardware';
import { type Clock, memoryLog, type VirtualClock, type WriterHost } from '@lcs/platform';
import { Ledger } from '../kill-units/ledger.ts';
import type { NetworkPlugs } from './network-plug.ts';

interface ControlledUnitOptions {
  readonly name: string;
  readonly dataFolder: string;
  readonly seed: number;
  readonly vial: VialPlantSettings;
  readonly leaderUrl: () => string;
  readonly clock: VirtualClock;
  readonly wire: Clock;
  readonly writer: WriterHost;
  readonly plugs: NetworkPlugs;
}

type State = NonNullable<VialPlantSettings['state']>;

/** As a person makes them: the flow of each pump of this unit, measured well. */
const pumpCalibration = (unit: string, device: string, mlPerSecond: number): string => `\
calibration_type: simple_peristaltic_pump
calibration_name: ${device}-1
calibrated_on_reactor_unit: ${unit}
created_at: 2026-01-01T00:00:00Z
curve_data_: {type: poly, coefficients: [${mlPerSecond}, 0.0]}
recorded_data: {x: [1.0, 10.0], y: [${mlPerSecond}, ${10 * mlPerSecond}]}
hz: 250
dc: 100.0
voltage: 12.0
`;

/** A unit whose power can be cut: what is on its disk at that moment is all that its next start finds. */
export class ControlledUnit implements AsyncDisposable {
  readonly name: string;
  readonly ledger: Ledger;
  readonly log = memoryLog();
  readonly #options: ControlledUnitOptions;
  #node: UnitNode | undefined;
  #left: { readonly state: State; readonly atMs: number } | undefined;

  constructor(options: ControlledUnitOptions) {
    this.#options = options;
    this.name = options.name;
    this.ledger = new Ledger(options.name, options.dataFolder);
  }

  get isOn(): boolean {
    return this.#node !== undefined;
  }

  /** Undefined while the power is off. */
  get plant(): VialPlant | undefined {
    return this.#node?.board.plant;
  }

  /** Medium of either kind flows in. */
  get isPumping(): boolean {
    const pumps = this.plant?.state().vial.inputs.pumps;
    return pumps !== undefined && pumps.media + pumps.alt_media > 0;
  }

  get node(): UnitNode {
    if (this.#node === undefined) throw new Error(`${this.name} has no power.`);
    return this.#node;
  }

  get client() {
    return createClient(unitApi, { baseUrl: this.node.url });
  }

  get dataFolder(): string {
    return this.#options.dataFolder;
  }

  async start(): Promise<void> {
    const { seed, vial, plugs: _, ...rest } = this.#options;
    const left = this.#left;
    const passed = left && { state: left.state, passS: (rest.clock.monotonic() - left.atMs) / 1000 };
    this.#left = undefined;
    const node = createUnitNode({
      ...rest,
      host: '127.0.0.1',
      port: 0,
      // The one short cut: a reading's conversions are drawn together, inside the chip.
      board: { kind: 'here', seed, oversampling: 'closed_form', vial: { ...vial, ...passed } },
      log: this.log,
      mqttUrl: () => undefined,
      hostSynced: () => true,
    });
    await node.start(new AbortController().signal);
    this.#node = node;
    this.ledger.open();
  }

  /** Makes the calibrations of its pumps and uses them. */
  async calibratePumps(): Promise<void> {
    const { seed, vial } = this.#options;
    const { pumpFlow } = vialPlantOf({ unit: this.name, ...vial }, seed).vial.parameters;
    const pumps = { media_pump: pumpFlow.media, alt_media_pump: pumpFlow.alt_media, waste_pump: pumpFlow.waste };
    for (const [device, flow] of Object.entries(pumps)) {
      const body = { calibration_data: pumpCalibration(this.name, device, flow), set_as_active: true };
      await this.client.createUnitCalibration({ params: { device }, body });
    }
  }

  /**
   * The power goes. Nothing more leaves the unit, and the disk is copied as it is, with nothing stopped and nothing closed; what the node does afterwards, in
   * being taken down, goes to the disk that is thrown away. No virtual time passes.
   */
  async cutPower(): Promise<void> {
    const { node } = this;
    const { dataFolder, plugs } = this.#options;
    plugs.pull(node.url);
    this.#leave(node);
    const asCut = `${dataFolder}.cut`;
    copyDisk(dataFolder, asCut);
    this.#node = undefined;
    await node.stop();
    await rm(dataFolder, { recursive: true });
    await rename(asCut, dataFolder);
  }

  /** Stops it like a person: it ends its jobs, logs that, and is off. No virtual time passes. */
  async shutDown(): Promise<void> {
    const { node } = this;
    this.#leave(node);
    this.#node = undefined;
    await node.stop();
  }

  /** State for its next start: the vial exists while the unit is off. */
  #leave(node: UnitNode): void {
    const state = node.board.saveState?.();
    if (state === undefined) throw new Error(`The vial of ${this.name} is not in this process.`);
    this.#left = { state, atMs: this.#options.clock.monotonic() };
    this.ledger.read();
    this.ledger.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.ledger.close();
    await this.#node?.stop();
  }
}

const stores = ['unit.sqlite', 'outbox.sqlite'];

/**
 * A copy that a crash could have left: each database's file goes before its log, which a reader keeps from being begun anew
 * meanwhile; a half-written end of the log is what a power cut leaves too.
 */
function copyDisk(from: string, to: string): void {
  using readers = new DisposableStack();
  for (const file of stores) {
    const database = readers.adopt(new DatabaseSync(`${from}/storage/${file}`, { readOnly: true }), (open) =>
      open.close(),
    );
    database.exec('begin');
    database.prepare('select count(*) from sqlite_schema').get();
  }
  // Locks, sockets and shared memory are of the running system.
  cpSync(from, to, { recursive: true, filter: (path) => !/-(wal|shm)$|\.sock$|\.lock$/.test(path) });
  for (const file of stores) {
    const log = `${from}/storage/${file}-wal`;
    if (existsSync(log)) copyFileSync(log, `${to}/storage/${file}-wal`);
  }
}
