import { describe, expect, it } from 'vitest';
import { stirring } from '../testing/test-jobs.ts';
import { definitionFault } from './job-definition.ts';
import { overriddenConfig, readJobRequest, splitJobArguments } from './job-request.ts';
import { JobValues } from './job-values.ts';

const automation = stirring(undefined, {
  name: 'temperature_automation',
  settings: {},
  options: {},
  variants: {
    thermostat: {
      settings: { target_temperature: { type: 'float' } },
      options: { target_temperature: { type: 'float' } },
    },
    only_record_temperature: { settings: {}, options: {} },
  },
});

describe('a request to start a job', () => {
  it('has the first part as its job and the others as arguments', () => {
    expect(splitJobArguments('growth_rate_calculating clear_cache')).toEqual({
      name: 'growth_rate_calculating',
      words: ['clear_cache'],
    });
    const takesOne = stirring(undefined, {
      argsFault: (args) => (args.join() === 'delete' ? undefined : 'Only delete.'),
    });
    expect(readJobRequest(takesOne, {}, ['delete']).args).toEqual(['delete']);
    expect(() => readJobRequest(takesOne, { args: ['x'] })).toThrow(
      expect.objectContaining({ code: 'job_options_invalid' }),
    );
  });

  it('reads the environment it is allowed to, empty texts and None being nothing', () => {
    const env = { EXPERIMENT: 'e', JOB_SOURCE: 'mcp', ACTIVE: '0', MODEL_NAME: 'm', MODEL_VERSION: '1', PATH: '/' };
    expect(readJobRequest(stirring(), { env })).toMatchObject({
      experiment: 'e',
      source: 'mcp',
      isActive: false,
      model: { name: 'm', version: '1' },
    });
    expect(readJobRequest(stirring(), { env: { EXPERIMENT: '', MODEL_NAME: 'm', JOB_SOURCE: 'None' } })).toMatchObject({
      experiment: undefined,
      source: 'user',
      isActive: undefined,
      model: undefined,
    });
  });

  it('names the kind of an automation, and gives the options and settings of that kind', () => {
    const options = { 'automation-name': 'thermostat', target_temperature: 30 };
    const request = readJobRequest(automation, { options });
    expect(request.options).toEqual({ automation_name: 'thermostat', target_temperature: 30 });
    expect(new JobValues(automation, request.options).names).toEqual(['automation_name', 'target_temperature']);
    for (const [wrong, field] of [
      [{}, 'automation_name'],
      [{ automation_name: 'x' }, 'automation_name'],
      [{ ...options, 'automation-name': 'only_record_temperature' }, 'target_temperature'],
    ] as const)
      expect(() => readJobRequest(automation, { options: wrong })).toThrow(
        expect.objectContaining({
          code: 'job_options_invalid',
          body: expect.objectContaining({ field }),
        }),
      );
  });

  it('overrides the configuration for itself only, later ones winning', () => {
    const config = { 'stirring.config': { pwm_hz: '200', use_rpm: '1' } };
    const view = overriddenConfig(config, [
      ['stirring.config', 'pwm_hz', '1'],
      ['stirring.config', 'pwm_hz', '100'],
      ['new', '__proto__', 'x'],
    ]);
    expect(view['stirring.config']).toEqual({ pwm_hz: '100', use_rpm: '1' });
    expect(Object.keys(view.new ?? {})).toEqual(['__proto__']);
    expect(config['stirring.config'].pwm_hz).toBe('200');
  });
});

describe('a definition', () => {
  it.each(['Stirring', '--help', 'run', 'leds', '', 'a b'])('cannot be called %j', (name) => {
    expect(definitionFault(stirring(undefined, { name }))).toBeDefined();
  });

  it('cannot have an automation called config', () => {
    const variants = { config: { settings: {}, options: {} } };
    expect(definitionFault(stirring(undefined, { variants }))).toBeDefined();
    expect(definitionFault(stirring(undefined, { variants: {} }))).toBeUndefined();
  });
});
