import { Composition, lazy, machineCertificate } from '@lcs/platform';
import { brokerStage } from './broker-stage.ts';
import { calibrationsStage } from './calibrations-stage.ts';
import { cameraStage } from './camera-stage.ts';
import { devicesStage } from './devices-stage.ts';
import { jobsStage } from './jobs-stage.ts';
import { leadershipStage } from './leadership-stage.ts';
import { ledgerStage } from './ledger-stage.ts';
import { operationStage } from './operation-stage.ts';
import { outputsStage } from './outputs-stage.ts';
import { recordsStage } from './records-stage.ts';
import { routesStage } from './routes-stage.ts';
import { storageStage } from './storage-stage.ts';
import { timeStage } from './time-stage.ts';
import type { UnitRole, UnitRoleOptions } from './unit-role-options.ts';

/** Builds the unit role of a node. Nothing is started. */
export function createUnitRole(options: UnitRoleOptions): UnitRole {
  const certificate = lazy(() => machineCertificate(options.identityKey.privateKey));
  const role = Composition.of({ options, certificate })
    .add(timeStage)
    .add(storageStage)
    .add(brokerStage)
    .add(recordsStage)
    .add(outputsStage)
    .add(jobsStage)
    .add(leadershipStage)
    .add(ledgerStage)
    .add(devicesStage)
    .add(calibrationsStage)
    .add(cameraStage)
    .add(routesStage);
  const { time, clock, link, memory, runtime, plugins, routes, access, leaderTime, enrolment, calibrations } =
    role.outputs;
  return {
    runtime,
    memory,
    addFirstCalibration: calibrations.addFirst,
    plugins,
    clock,
    ...routes,
    identify: access.identify,
    leaderTime,
    enrolment: () => enrolment.state,
    clockSet: (utcMs) => time.setByPerson(utcMs),
    leader: () => link.current?.leader ?? '',
    parts: role.services,
    partsAfterHttp: operationStage(role.outputs).services,
  };
}
