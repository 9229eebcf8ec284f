import { defaultVialParameters } from '@lcs/domain';
import {
  type BoardLayout,
  board10,
  board12,
  defaultWiring,
  FaultyBuses,
  i2cDevice,
  layoutOf,
  type ReactorModel,
  SimulatedBoard,
  VialPlant,
} from '@lcs/hardware';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { describe, expect, it } from 'vitest';
import { HardwareSurvey } from './hardware-survey.ts';
import { JobHardware } from './job-hardware.ts';

interface SurveySetup {
  /** Chips that are truly there. */
  readonly board?: BoardLayout;
  readonly layoutFor?: (model: ReactorModel | undefined) => BoardLayout;
}

function testSurvey({ board: there = board12, layoutFor = () => there }: SurveySetup = {}) {
  const clock = new VirtualClock();
  const plant = new VialPlant({ layout: there, parameters: defaultVialParameters(), seed: 1 });
  const board = new SimulatedBoard({ layout: there, plant, clock, seed: 1 });
  const faults = new FaultyBuses(board);
  const logged: string[] = [];
  let model: ReactorModel | undefined;
  const survey = new HardwareSurvey({
    buses: faults,
    clock,
    log: memoryLog(),
    layoutFor,
    model: () => model,
    logEvent: (level, message) => logged.push(`${level} ${message}`),
  });
  const jobs = new JobHardware(survey, () => ({}));
  return {
    clock,
    board,
    faults,
    survey,
    jobs,
    logged,
    wiring: defaultWiring,
    give: (next: ReactorModel) => (model = next),
  };
}

const ledDriver = i2cDevice(board12.ledDriver.address);
const heaterBoard = i2cDevice(board12.temperatureAddress);

describe('what a unit finds on its board', () => {
  it('finds everything, without a log entry, on a complete board', async () => {
    const { survey, jobs, logged } = testSurvey();
    await survey.start();
    for (const job of ['stirring', 'od_reading', 'add_media', 'dosing_automation', 'led_intensity'])
      expect(jobs.missing(job, 'chemostat')).toBeUndefined();
    expect(logged).toEqual([]);
    await survey.stop();
  });

  it('refuses only the jobs that need what is missing', async () => {
    const { survey, jobs, faults, logged } = testSurvey();
    faults.set(ledDriver, { kind: 'absent' });
    await survey.start();
    const missing = 'Missing: the driver of the LEDs (i2c 0x2c: no acknowledgement).';
    expect(logged).toEqual([
      'WARNING These parts of the board do not respond: the driver of the LEDs (i2c 0x2c: no acknowledgement). The unit refuses jobs that need them.',
    ]);
    for (const job of ['od_reading', 'od_blank', 'led_intensity']) {
      expect(jobs.missing(job)).toBe(missing);
      await expect(jobs.mustHave(job)).rejects.toMatchObject({ code: 'job_hardware_missing' });
    }
    for (const job of ['stirring', 'temperature_automation', 'add_media', 'growth_rate_calculating', 'monitor'])
      await jobs.mustHave(job, 'thermostat');
    expect(jobs.missing('led_automation', 'silent')).toBeUndefined();
    expect(jobs.missing('led_automation', 'light_dark_cycle')).toBe(missing);
    await survey.stop();
  });

  it.each([
    ['stirring', undefined, 'pwm 1'],
    ['temperature_automation', 'thermostat', 'pwm 5'],
    ['add_media', undefined, 'pwm 2'],
    ['remove_waste', undefined, 'pwm 4'],
    ['dosing_automation', 'turbidostat', 'pwm 4'],
    ['stirring', undefined, `gpio ${board12.hallLine}`],
    ['temperature_automation', 'only_record_temperature', heaterBoard],
    ['od_reading', undefined, i2cDevice(0x49)],
  ])('%s (%s) needs %s', async (job, automation, device) => {
    const { survey, jobs, faults } = testSurvey();
    faults.set(device, { kind: 'absent' });
    await survey.run();
    expect(jobs.missing(job, automation)).toContain(device);
    faults.clear(device);
    await jobs.mustHave(job, automation);
    expect(jobs.missing(job, automation)).toBeUndefined();
  });

  it.each([
    ['prime_pump', { options: { pump: 'media' }, args: [] }, 'pwm 2'],
    ['prime_pump', { options: { pump: 'waste' }, args: [] }, 'pwm 4'],
    ['pumps', { options: {}, args: ['media', '1', 'sleep', '2', '--alt-media', '1'] }, 'pwm 3'],
    ['pump_calibration', { options: { device: 'alt_media_pump' }, args: [] }, 'pwm 3'],
    ['stirring_calibration', { options: {}, args: [] }, 'pwm 1'],
    ['od_calibration', { options: { device: 'od90' }, args: [] }, ledDriver],
  ])('%s with %j needs %s', async (job, logged, device) => {
    const { survey, jobs, faults } = testSurvey();
    faults.set(device, { kind: 'absent' });
    await survey.run();
    expect(jobs.missing(job, undefined, logged)).toContain(device);
    await expect(jobs.mustHave(job, undefined, logged)).rejects.toMatchObject({ code: 'job_hardware_missing' });
    faults.clear(device);
    await jobs.mustHave(job, undefined, logged);
  });

  it('does not keep a pump from running for want of another one', async () => {
    const { jobs, faults } = testSurvey();
    faults.set('pwm 2', { kind: 'absent' });
    await jobs.mustHave('prime_pump', undefined, { options: { pump: 'waste' }, args: [] });
    await jobs.mustHave('pumps', undefined, { options: {}, args: ['waste', '1'] });
    // What cannot be understood is for the job to refuse.
    await jobs.mustHave('pumps', undefined, { options: {}, args: ['media'] });
    await jobs.mustHave('prime_pump', undefined, { options: { pump: 'none' }, args: [] });
  });

  it('is surveyed again every ten minutes, and parts that work again are logged', async () => {
    const { survey, jobs, faults, clock, logged } = testSurvey();
    await survey.start();
    faults.set(heaterBoard, { kind: 'absent' });
    await clock.advance(600_000);
    expect(jobs.missing('temperature_automation')).toContain(heaterBoard);
    faults.clear(heaterBoard);
    await clock.advance(600_000);
    expect(jobs.missing('temperature_automation')).toBeUndefined();
    expect(logged.at(-1)).toBe('NOTICE These parts respond again: the temperature sensor of the heater’s board.');
    await survey.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it('is not missing for one disturbed transfer', async () => {
    const { survey, jobs, faults } = testSurvey();
    faults.set(heaterBoard, { kind: 'burst', transactions: 2 });
    await jobs.mustHave('temperature_automation');
    expect(survey.missing(['heater_board'])).toBeUndefined();
  });

  it('takes no conversion from a job', async () => {
    const { survey, faults } = testSurvey();
    const probes: number[] = [];
    const read = faults.i2c.readRegister.bind(faults.i2c);
    faults.i2c.readRegister = (address, register, length) => {
      probes.push(register);
      return read(address, register, length);
    };
    await survey.run();
    expect(new Set(probes)).toEqual(new Set([8, 1]));
  });
});

describe('the photodiodes of a model', () => {
  const real = (model: ReactorModel | undefined) => layoutOf('1.2', model);
  const boardWith = (photodiodes: BoardLayout['photodiodes']) => ({ ...board12, photodiodes });

  it.each([[{ 1: 0x49, 2: 0x4a }], [{ 1: 0x48, 2: 0x49 }]])(
    'of which two makes exist are found where they answer: %o',
    async (photodiodes) => {
      const { survey, give } = testSurvey({ board: boardWith(photodiodes), layoutFor: real });
      give({ name: 'reactor_20ml', version: '1.5' });
      await survey.run();
      expect(survey.photodiodes).toEqual(photodiodes);
      expect(survey.missing(['photodiode1', 'photodiode2'])).toBeUndefined();
    },
  );

  it('are those of the new model as soon as it is known, and are probed a second later', async () => {
    const { survey, give, clock } = testSurvey({
      board: boardWith({ 1: 0x49, 2: 0x4a, 3: 0x4b, 4: 0x48 }),
      layoutFor: real,
    });
    await survey.run();
    expect(survey.photodiodes).toEqual({ 1: 0x48, 2: 0x49 });
    expect(survey.missing(['photodiode3'])).toBe('Missing: the converter of photodiode 3 (this board has none).');
    survey.modelChanges();
    give({ name: 'reactor_20ml_XR', version: '1.5' });
    expect(survey.photodiodes).toEqual({ 1: 0x49, 2: 0x4a, 3: 0x4b, 4: 0x48 });
    await clock.advance(1000);
    expect(survey.missing(['photodiode3'])).toBeUndefined();
  });

  it('cannot be there when the board cannot carry them', async () => {
    const { survey, jobs, give } = testSurvey({ board: board10, layoutFor: (model) => layoutOf('1.0', model) });
    give({ name: 'reactor_40ml', version: '1.5' });
    await survey.run();
    expect(jobs.missing('od_reading')).toContain('need a board of version 1.1 or later');
    expect(jobs.missing('stirring')).toBeUndefined();
    give({ name: 'reactor_40ml', version: '1.0' });
    await survey.run();
    expect(jobs.missing('od_reading')).toBeUndefined();
  });
});
