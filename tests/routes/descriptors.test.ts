import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  addToyUnit,
  type LeaderUnderTest,
  type StandInLeader,
  startLeader,
  startStandInLeader,
  startUnit,
  type UnitUnderTest,
} from '@lcs/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { observe } from '../observe.ts';

let leader: LeaderUnderTest;
beforeEach(async () => {
  leader = await startLeader({ observe });
});
afterEach(() => leader[Symbol.asyncDispose]());

async function write(folder: string, file: string, text: string): Promise<void> {
  const path = join(folder, file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const bubbler = `
display_name: Air bubbler
job_name: air_bubbler
display: yes
source: bubbler-plugin
published_settings:
  - key: duty_cycle
    type: numeric
    display: true
    label: Duty cycle
    unit: "%"
    min: 0
    max: 100
`;

describe('descriptors of jobs', () => {
  it('are in the order of the screen, with all their fields', async () => {
    const listed = (await leader.api.call('listJobDescriptors')).expect(200);
    expect(listed).toMatchObject(
      [
        ...['stirring', 'od_reading', 'growth_rate_calculating', 'temperature_automation', 'dosing_automation'],
        ...['led_automation', 'add_media', 'remove_waste', 'add_alt_media', 'circulate_media'],
        ...['circulate_alt_media', 'prime_pump', 'self_test', 'od_blank', 'stirring_calibration'],
        ...['pump_calibration', 'od_calibration', 'temperature_calibration'],
      ].map((job_name) => ({ job_name })),
    );
    expect(listed).toContainEqual({
      display_name: 'Stirring',
      job_name: 'stirring',
      display: true,
      published_settings: [
        {
          key: 'target_rpm',
          type: 'numeric',
          display: true,
          description: expect.any(String),
          default: null,
          unit: 'RPM',
          label: 'Target stir RPM',
          editable: true,
          min: null,
          max: null,
        },
      ],
      source: 'app',
      description: expect.any(String),
      subtext: null,
      is_testing: false,
    });
    const old = await leader.api.call('listContributedJobs');
    expect(old.expect(200)).toEqual(listed);
    expect(old.headers.get('deprecation')).toBe('true');
  });

  it('include the present files of people and plugins', async () => {
    await write(leader.dataFolder, 'plugins/ui/jobs/bubbler.yaml', bubbler);
    expect((await leader.client.listJobDescriptors()).at(-1)).toEqual({
      display_name: 'Air bubbler',
      job_name: 'air_bubbler',
      display: true,
      published_settings: [
        {
          key: 'duty_cycle',
          type: 'numeric',
          display: true,
          description: null,
          default: null,
          unit: '%',
          label: 'Duty cycle',
          editable: true,
          min: 0,
          max: 100,
        },
      ],
      source: 'bubbler-plugin',
      description: null,
      subtext: null,
      is_testing: false,
    });
    await write(leader.dataFolder, 'plugins/ui/jobs/stir.yml', bubbler.replace('air_bubbler', 'stirring'));
    expect((await leader.client.listJobDescriptors())[0]).toMatchObject({ display_name: 'Air bubbler' });
    await rm(join(leader.dataFolder, 'plugins/ui/jobs/stir.yml'));
    expect((await leader.client.listJobDescriptors())[0]).toMatchObject({ display_name: 'Stirring' });
  });

  it.each([
    ['YAML that is none', 'display_name: [', 1],
    ['nothing in it', '', null],
    ['a field that is misspelt', bubbler.replace('display_name', 'dispaly_name'), 2],
    ['a setting twice', `${bubbler}  - {key: duty_cycle, type: numeric, display: false}\n`, 14],
    ['min above max', bubbler.replace('min: 0', 'min: 200'), 12],
    ['a displayed setting without a label', bubbler.replace('    label: Duty cycle\n', ''), 7],
    ['a type that is none', bubbler.replace('type: numeric', 'type: number'), 8],
  ])('omit a file with %s, and log that once', async (_what, text, line) => {
    await write(leader.dataFolder, 'ui/jobs/bad.yaml', text);
    for (let time = 0; time < 3; time += 1) expect(await leader.client.listJobDescriptors()).toHaveLength(18);
    const problems = (await leader.api.call('listDescriptorProblems')).expect(200);
    expect(problems).toEqual([{ kind: 'jobs', file: 'ui/jobs/bad.yaml', line, reason: expect.any(String) }]);
    const entries = leader.log.lines.filter(({ message }) => message.includes('descriptor file'));
    expect(entries).toHaveLength(1);
    await rm(join(leader.dataFolder, 'ui/jobs/bad.yaml'));
    expect((await leader.api.call('listDescriptorProblems')).expect(200)).toEqual([]);
  });
});

describe('descriptors of settings', () => {
  it('contain the configured initial values of the vial', async () => {
    const listed = (await leader.api.call('listSettingsDescriptors')).expect(200);
    expect(listed).toMatchObject([
      {
        key: 'bioreactor',
        display: true,
        published_settings: [
          { key: 'current_volume_ml', default: 15, unit: 'mL', min: 0, max: null, editable: true },
          { key: 'efflux_tube_volume_ml', default: 15 },
          { key: 'alt_media_fraction', default: 0, min: 0, max: 1, unit: null },
          { key: 'cumulative_media_added_ml', default: 0 },
          { key: 'cumulative_waste_removed_ml', default: 0 },
        ],
      },
      { key: 'leds', display: false, published_settings: [{ key: 'intensity', editable: false }] },
      { key: 'pwms', display: false, published_settings: [{ key: 'dc', editable: false }] },
    ]);
  });

  it('use texts of a file for the vial, never its values', async () => {
    await write(
      leader.dataFolder,
      'ui/settings/bioreactor.yaml',
      `key: bioreactor
display_name: Our vial
display: true
published_settings:
  - {key: current_volume_ml, type: numeric, display: true, label: Liquid, min: 5, default: 99}
  - {key: colour, type: string, display: true, label: Colour}
`,
    );
    expect((await leader.client.listSettingsDescriptors())[0]).toMatchObject({
      display_name: 'Our vial',
      published_settings: [
        { key: 'current_volume_ml', label: 'Liquid', min: 0, default: 15 },
        { key: 'efflux_tube_volume_ml' },
        { key: 'alt_media_fraction' },
        { key: 'cumulative_media_added_ml' },
        { key: 'cumulative_waste_removed_ml' },
      ],
    });
  });
});

describe('descriptors of automations', () => {
  it.each([
    ['dosing', ['chemostat', 'turbidostat', 'fed_batch', 'pid_morbidostat', 'silent']],
    ['led', ['light_dark_cycle', 'silent']],
    ['temperature', ['thermostat', 'only_record_temperature']],
  ])('of %s are complete', async (automation_type, names) => {
    const listed = (await leader.api.call('listAutomationDescriptors', { params: { automation_type } })).expect(200);
    expect(listed).toMatchObject(names.map((automation_name) => ({ automation_name, source: null })));
    const old = await leader.api.call('listContributedAutomations', { params: { automation_type } });
    expect(old.expect(200)).toEqual(listed);
    expect(old.headers.get('deprecation')).toBe('true');
  });

  it('have fields with defaults, units and labels', async () => {
    const params = { automation_type: 'dosing' };
    const [chemostat, turbidostat] = await leader.client.listAutomationDescriptors({ params });
    expect(chemostat?.fields).toEqual([
      {
        key: 'duration',
        default: 20,
        label: 'Dosing interval',
        disabled: false,
        required: true,
        unit: 'min',
        type: 'numeric',
        options: null,
      },
      {
        key: 'exchange_volume_ml',
        default: 0.5,
        label: 'Exchange volume',
        disabled: false,
        required: true,
        unit: 'mL',
        type: 'numeric',
        options: null,
      },
    ]);
    expect(turbidostat?.fields[2]).toMatchObject({ key: 'biomass_signal', default: 'auto', unit: '', type: 'string' });
  });

  it('are of three types only', async () => {
    const params = { automation_type: 'pumping' };
    (await leader.api.call('listAutomationDescriptors', { params })).expect(400, 'automation_type_unknown');
    (await leader.api.call('listContributedAutomations', { params })).expect(400, 'automation_type_unknown');
  });

  it('include a file, whose select needs options', async () => {
    const file = (options: string) => `
automation_name: pulse
display_name: Pulse
description: Doses in pulses.
source: pulse-plugin
fields:
  - {key: shape, default: square, label: Shape, type: select, options: ${options}}
`;
    const params = { automation_type: 'dosing' };
    await write(leader.dataFolder, 'plugins/ui/automations/dosing/pulse.yaml', file('[square, sine]'));
    expect((await leader.client.listAutomationDescriptors({ params })).at(-1)).toMatchObject({
      automation_name: 'pulse',
      fields: [{ type: 'select', options: ['square', 'sine'], required: true, disabled: false, unit: '' }],
    });
    await write(leader.dataFolder, 'plugins/ui/automations/dosing/pulse.yaml', file('[]'));
    expect(await leader.client.listAutomationDescriptors({ params })).toHaveLength(5);
    expect(await leader.client.listDescriptorProblems()).toMatchObject([{ kind: 'automations/dosing', line: 7 }]);
  });
});

describe('charts of files', () => {
  it('are added, with defaults for omitted fields', async () => {
    await write(
      leader.dataFolder,
      'plugins/ui/charts/ph.yaml',
      `chart_key: ph
data_source: ph_readings
title: Acidity
source: ph-plugin
y_axis_label: pH
fixed_decimals: 2
mqtt_topic: ph_reading/ph
lookback: config.get('ui', 'hours')
`,
    );
    const charts = await leader.client.listChartDescriptors();
    expect(charts.at(-1)).toEqual({
      chart_key: 'ph',
      data_source: 'ph_readings',
      title: 'Acidity',
      source: 'ph-plugin',
      y_axis_label: 'pH',
      fixed_decimals: 2,
      down_sample: true,
      mqtt_topic: 'ph_reading/ph',
      lookback: 100_000,
      data_source_column: null,
      payload_key: null,
      y_transformation: '(y) => y',
      y_axis_domain: null,
      interpolation: 'stepAfter',
    });
    expect((await leader.api.call('listContributedCharts')).expect(200)).toEqual(charts);
  });
});

describe('descriptors of one worker', () => {
  const routes = [
    ['listJobDescriptorsOfWorker', '/unit_api/jobs/descriptors'],
    ['listSettingsDescriptorsOfWorker', '/unit_api/settings/descriptors'],
    ['listAutomationDescriptorsOfWorker', '/unit_api/automations/descriptors/led'],
  ] as const;

  it.each(routes)('%s: are those that the worker has', async (operation, path) => {
    const own = {
      listJobDescriptorsOfWorker: await leader.client.listJobDescriptors(),
      listSettingsDescriptorsOfWorker: await leader.client.listSettingsDescriptors(),
      listAutomationDescriptorsOfWorker: await leader.client.listAutomationDescriptors({
        params: { automation_type: 'led' },
      }),
    }[operation];
    await using _unit = await addToyUnit(leader, 'rx01', {
      answer: (request) => (request.path === path ? { status: 200, body: own } : undefined),
    });
    const params = { reactor_unit: 'rx01', automation_type: 'led' };
    expect((await leader.api.call(operation, { params })).expect(200)).toEqual(own);
    const to = (reactor_unit: string) => leader.api.call(operation, { params: { ...params, reactor_unit } });
    (await to('nobody')).expect(400, 'unit_unknown');
    (await to('$broadcast')).expect(400, 'one_unit_only');
  });

  it.each(routes)('%s: are an error when the worker answers something undeclared', async (operation, path) => {
    await leader.client.registerWorker({ body: { reactor_unit: 'rx00' } });
    await using _unit = await addToyUnit(leader, 'rx01', {
      answer: (request) => (request.path === path ? { status: 200, body: [{ job_name: 'x' }] } : undefined),
    });
    for (const reactor_unit of ['rx00', 'rx01']) {
      const params = { reactor_unit, automation_type: 'led' };
      (await leader.api.call(operation, { params })).expect(502, 'unit_gave_no_answer');
    }
  });

  it('are refused for an unknown type of automation', async () => {
    const params = { reactor_unit: 'rx01', automation_type: 'pumping' };
    (await leader.api.call('listAutomationDescriptorsOfWorker', { params })).expect(400, 'automation_type_unknown');
  });
});

describe('descriptors of a node', () => {
  let standIn: StandInLeader;
  let unit: UnitUnderTest;
  beforeEach(async () => {
    standIn = await startStandInLeader();
    unit = await startUnit({ leaderUrl: standIn.url, observe });
  });
  afterEach(async () => {
    await unit[Symbol.asyncDispose]();
    await standIn[Symbol.asyncDispose]();
  });

  it('are those of the program and of its own files', async () => {
    await write(unit.dataFolder, 'plugins/ui/jobs/bubbler.yaml', bubbler);
    expect((await unit.api.call('listNodeJobDescriptors')).expect(200)).toHaveLength(19);
    expect((await unit.api.call('listNodeSettingsDescriptors')).expect(200)).toHaveLength(3);
    const params = { automation_type: 'temperature' };
    expect((await unit.api.call('listNodeAutomationDescriptors', { params })).expect(200)).toHaveLength(2);
    const none = await unit.api.call('listNodeAutomationDescriptors', { params: { automation_type: 'x' } });
    none.expect(400, 'automation_type_unknown');
  });
});
