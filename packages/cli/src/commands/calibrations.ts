import { readFile } from 'node:fs/promises';
import { type Calibration, CalibrationProtocol, CalibrationsByDevice } from '@lcs/contract';
import type { Command } from 'commander';
import { Type } from 'typebox';
import { type ConnectionOptions, connect, withConnection } from '../connect.ts';
import { allUnits } from '../current-experiment.ts';
import { type Outcomes, outcomesOf, reportOutcomes, reportTable } from '../outcomes.ts';
import { CommandFailure, type ProgramIo } from '../program-io.ts';
import { addSessionCommands } from './calibration-session.ts';

interface ListOptions extends ConnectionOptions {
  readonly unit: string;
  readonly device?: string;
}

interface StoreOptions extends ConnectionOptions {
  readonly active?: true;
}

const unitNamed = (name: string): string => (name === 'all' ? allUnits : name);

const report = (io: ProgramIo, options: ConnectionOptions, outcomes: Outcomes, done: string): void =>
  reportOutcomes(io, options, outcomes, (_, unit) => `${unit}: ${done}`);

const rowOf = (unit: string, device: string, one: Calibration): readonly string[] => [
  unit,
  device,
  one.calibration_name,
  one.is_active ? 'active' : '',
  one.calibration_type,
  one.created_at.slice(0, 10),
  String(one.recorded_data.x.length),
];

async function list(io: ProgramIo, options: ListOptions): Promise<void> {
  const leader = connect(options);
  const params = { reactor_unit: options.unit };
  const outcomes = await outcomesOf(leader, await leader.listCalibrations({ params }), CalibrationsByDevice);
  reportTable(
    io,
    options,
    outcomes,
    ['UNIT', 'DEVICE', 'NAME', '', 'KIND', 'MADE', 'POINTS'],
    (devices, unit) =>
      Object.entries(devices)
        .filter(([device]) => options.device === undefined || options.device === device)
        .flatMap(([device, found]) => found.map((one) => rowOf(unit, device, one))),
    'No calibrations. See how one is made: lcs calibrations protocols UNIT',
  );
}

async function listProtocols(io: ProgramIo, unit: string, options: ConnectionOptions): Promise<void> {
  const leader = connect(options);
  const params = { reactor_unit: unitNamed(unit) };
  const accepted = await leader.listCalibrationProtocols({ params });
  const outcomes = await outcomesOf(leader, accepted, Type.Array(CalibrationProtocol));
  reportTable(
    io,
    options,
    outcomes,
    ['UNIT', 'DEVICE', 'PROTOCOL', ''],
    (protocols, who) =>
      protocols.map(({ target_device, protocol_name, title }) => [who, target_device, protocol_name, title]),
    'No protocols.',
  );
}

/** @throws CommandFailure */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandFailure({
      error: `${path} cannot be read.`,
      cause: error instanceof Error ? error.message : String(error),
      remediation: 'Name a YAML file on this computer.',
    });
  }
}

async function show(io: ProgramIo, options: ConnectionOptions, params: Named): Promise<void> {
  const leader = connect(options);
  const outcomes = await outcomesOf(leader, await leader.getCalibration({ params }), Type.Unknown());
  reportOutcomes(io, options, outcomes, (calibration) => JSON.stringify(calibration));
}

interface Named {
  readonly reactor_unit: string;
  readonly device: string;
  readonly cal_name: string;
}

const named = (unit: string, device: string, name: string): Named => ({
  reactor_unit: unitNamed(unit),
  device,
  cal_name: name,
});

const place = (command: Command): Command =>
  command.argument('<unit>', 'a worker, or all').argument('<device>', 'media_pump, stirring, od90, …');

/** `lcs calibrations`: list, show, store, activate, deactivate, delete, protocols, session, abort. */
export function addCalibrationCommands(program: Command, io: ProgramIo): void {
  const group = program.command('calibrations').description('calibrations of pumps, stirrers and photodiodes');
  withConnection(
    group.command('list', { isDefault: true }).description('stored calibrations, and which are active'),
    io,
  )
    .option('--unit <unit>', 'which worker; all: every one', unitNamed, allUnits)
    .option('--device <device>', 'of this device only')
    .action((options: ListOptions) => list(io, options));
  withConnection(group.command('protocols').description('the guided sessions that a worker offers'), io)
    .argument('<unit>', 'a worker, or all')
    .action((unit: string, options: ConnectionOptions) => listProtocols(io, unit, options));
  addSessionCommands(group, io);
  withConnection(place(group.command('show').description('one calibration, as JSON')), io)
    .argument('<name>', 'its name')
    .action((unit: string, device: string, name: string, options: ConnectionOptions) =>
      show(io, options, named(unit, device, name)),
    );
  withConnection(place(group.command('store').description('store a YAML file on a worker, or on all')), io)
    .argument('<file>', 'a YAML file on this computer')
    .option('--active', 'use it from now on')
    .action(async (unit: string, device: string, file: string, options: StoreOptions) => {
      const leader = connect(options);
      const body = { calibration_data: await textOf(file), set_as_active: options.active === true };
      const params = { reactor_unit: unitNamed(unit), device };
      const outcomes = await outcomesOf(leader, await leader.createCalibration({ params, body }), Type.Unknown());
      report(io, options, outcomes, options.active ? 'stored, and in use.' : 'stored.');
    });
  withConnection(place(group.command('activate').description('use a calibration from now on')), io)
    .argument('<name>', 'its name')
    .action(async (unit: string, device: string, name: string, options: ConnectionOptions) => {
      const leader = connect(options);
      const accepted = await leader.setActiveCalibration({ params: named(unit, device, name) });
      report(
        io,
        options,
        await outcomesOf(leader, accepted, Type.Unknown()),
        `${name} is in use. Running jobs keep theirs.`,
      );
    });
  withConnection(place(group.command('deactivate').description('use no calibration of a device')), io).action(
    async (unit: string, device: string, options: ConnectionOptions) => {
      const leader = connect(options);
      const accepted = await leader.clearActiveCalibration({ params: { reactor_unit: unitNamed(unit), device } });
      report(io, options, await outcomesOf(leader, accepted, Type.Unknown()), `no calibration of ${device} is in use.`);
    },
  );
  withConnection(place(group.command('delete').description('delete a calibration')), io)
    .argument('<name>', 'its name')
    .action(async (unit: string, device: string, name: string, options: ConnectionOptions) => {
      const leader = connect(options);
      const accepted = await leader.deleteCalibration({ params: named(unit, device, name) });
      report(io, options, await outcomesOf(leader, accepted, Type.Unknown()), `${name} is deleted.`);
    });
}
