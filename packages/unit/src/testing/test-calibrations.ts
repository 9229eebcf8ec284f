import type { CalibrationContent, EstimatorContent } from '@lcs/contract';
import type { ProtocolFacts } from '@lcs/domain';
import { board12 } from '@lcs/hardware';
import type { Job } from '@lcs/node';
import { CalibrationActions } from '../calibrations/calibration-actions.ts';
import { calibrationJobDefinitions } from '../calibrations/calibration-jobs.ts';
import { CalibrationSessions } from '../calibrations/calibration-sessions.ts';
import type { SessionStore, StoredSession } from '../calibrations/session-store.ts';
import { defaultPumpCalibrations } from './test-ledger.ts';
import { quietVial, type TestUnitOptions, testExperimentUid, testUnit } from './test-unit.ts';

/** A board with four photodiodes, as XR reactors have it. */
export const fourPhotodiodes = { ...board12, photodiodes: { 1: 0x48, 2: 0x49, 3: 0x4a, 4: 0x4b } };
export const fourChannels = { 'od_config.photodiode_channel': { 1: 'REF', 2: '90', 3: '135', 4: '45' } };

interface Kept {
  readonly device: string;
  readonly content: CalibrationContent | EstimatorContent;
  readonly isActive: boolean;
}

/** Sessions in memory, which outlive the unit that began them. */
export class KeptSessions implements Pick<SessionStore, 'find' | 'open' | 'save'> {
  readonly all = new Map<string, StoredSession>();

  find = async (id: string) => this.all.get(id);
  open = async () => [...this.all.values()].filter(({ status }) => status === 'in_progress');
  save = async (session: StoredSession) => {
    this.all.set(session.session_id, session);
  };
}

/** A unit on virtual time with all jobs that calibrate; what is stored is in memory. */
export async function calibratingUnit(options: TestUnitOptions = {}, store = new KeptSessions()) {
  let ids = store.all.size;
  const kept: Kept[] = [];
  const logged: string[] = [];
  const started: Job[] = [];
  const files = {
    store: async (device: string, content: CalibrationContent | EstimatorContent, _text: string, isActive: boolean) => {
      kept.push({ device, content, isActive });
      const name = 'calibration_name' in content ? content.calibration_name : content.estimator_name;
      return { name, path: `storage/calibrations/${device}/${name}.yaml`, replaced: false };
    },
    expectUsable: () => {},
  };
  const made: { actions?: CalibrationActions; sessions?: CalibrationSessions } = {};
  const facts = async (): Promise<ProtocolFacts> => ({
    unit: 'unit1',
    nowMs: unit.clock.now(),
    runningJobs: unit.runtime.running().map(({ origin }) => origin.jobName),
    pluginPumpJobs: [],
    pumpChannel: (device) => ({ media_pump: '2', alt_media_pump: '3', waste_pump: '4' })[device],
    pumpHz: 250,
    longestPumpRunS: 130,
    photodiodes: [
      { channel: '1', angle: 'REF' },
      { channel: '2', angle: '90' },
    ],
    irLedIntensity: 80,
    initialRpm: 500,
    initialDuty: 30,
    stirrerHz: 200,
    model: 'reactor_20ml',
    calibrationExists: (device, name) =>
      kept.some(
        (one) => one.device === device && 'calibration_name' in one.content && one.content.calibration_name === name,
      ),
    estimatorExists: () => false,
    fusedEstimators: [],
    experiment: 'exp1',
    activeForOd: [],
  });
  const unit = await testUnit({
    vial: quietVial,
    ...options,
    alsoJobs: (devices, { runtime, liquids }) => {
      const actions = new CalibrationActions({
        devices,
        runtime,
        pumps: {
          ledger: liquids.ledger,
          calibrationOf: defaultPumpCalibrations,
          event: liquids.event,
          experiment: () => ({ name: 'exp1', uid: testExperimentUid }),
        },
      });
      const sessions = new CalibrationSessions({
        store,
        actions,
        facts,
        calibrations: files,
        estimators: files,
        newId: () => `s${++ids}`,
        clock: {
          now: () => unit.clock.now(),
          monotonic: () => unit.clock.monotonic(),
          every: (intervalMs, action) => unit.clock.every(intervalMs, action),
        },
        isEnding: () => runtime.isEnding,
        warn: (message) => logged.push(`WARNING ${message}`),
      });
      Object.assign(made, { actions, sessions });
      const definitions = calibrationJobDefinitions({
        actions,
        sessions,
        facts,
        calibrations: files,
        runtime,
        logOutcome: (level, message) => logged.push(`${level} ${message}`),
      });
      return definitions.map((definition) => ({
        ...definition,
        start: async (context) => {
          const job = await definition.start(context);
          started.push(job);
          return job;
        },
      }));
    },
  });
  const { actions, sessions } = made;
  if (actions === undefined || sessions === undefined) throw new Error('The jobs were not made.');
  return { unit, actions, sessions, store, kept, logged, started };
}
