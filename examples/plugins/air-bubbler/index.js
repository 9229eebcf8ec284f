// @ts-check
/**
 * A plugin for an air pump on a PWM channel. Bubbles scatter light, so the pump pauses around each reading of the optical
 * density. The plugin shows each possible part once: a job with options and settings, a descriptor for the web UI, a dataset
 * for export, and routes.
 */
import { definePlugin, SettingRefused } from '@lcs/plugin-api';

const section = 'air_bubbler.config';

/**
 * @param {import('@lcs/plugin-api').PluginConfig} config
 * @param {string} key
 * @param {number} defaultValue
 */
function numberOf(config, key, defaultValue) {
  const text = config[section]?.[key]?.trim() ?? '';
  const value = text === '' ? defaultValue : Number(text);
  if (!Number.isFinite(value)) throw new Error(`${key}=${text} in section [${section}] must be a number.`);
  return value;
}

/**
 * The output whose PWM channel is labelled `air_bubbler`.
 * @param {import('@lcs/plugin-api').PluginConfig} config
 */
function outputOf(config) {
  const channel = Object.entries(config.PWM ?? {}).find(([, label]) => label.trim() === 'air_bubbler')?.[0];
  if (channel === undefined) throw new Error('No PWM channel has the label air_bubbler. Set it in section [PWM].');
  return `pwm${channel}`;
}

export default definePlugin({
  manifest: {
    name: 'air-bubbler',
    version: '1.0.0',
    description: 'Bubbles air through the culture and pauses during readings of the optical density',
    author: 'Leader Control Service',
  },

  jobs: [
    {
      name: 'air_bubbler',
      help: 'Drives an air pump, except around readings of the optical density.',
      drivesOutputs: true,
      settings: {
        duty_cycle: { type: 'float', min: 0, max: 100, unit: '%' },
        enable_dodging_od: { type: 'boolean', default: true },
        is_bubbling: { type: 'boolean', readOnly: true, default: false },
      },
      options: {
        duty_cycle: { type: 'float', min: 0, max: 100 },
      },
      async start(context) {
        const { config, options, clock } = context;
        const output = outputOf(config);
        const preDelayMs = 1000 * numberOf(config, 'pre_delay_duration', 1.5);
        const postDelayMs = 1000 * numberOf(config, 'post_delay_duration', 0.5);
        const lease = await context.lease([output]);
        let duty = Number(options.duty_cycle ?? numberOf(config, 'duty_cycle', 30));
        let isSleeping = false;
        let isQuiet = false;
        /** A wait ends when a later phase has begun. */
        let latestPhase = 0;

        const drive = async () => {
          const isOn = !isSleeping && !isQuiet && duty > 0;
          await lease.set(output, isOn ? duty : 0);
          if (context.setting('is_bubbling') !== isOn) context.publish('is_bubbling', isOn);
        };
        const bubble = async (/** @type {boolean} */ isOn) => {
          isQuiet = !isOn;
          await drive();
        };

        context.publish('duty_cycle', duty);
        context.onOpticalReading(async ({ phase, nextInMs, intervalMs }) => {
          latestPhase += 1;
          const ownPhase = latestPhase;
          const avoidsReadings = context.setting('enable_dodging_od') === true;
          if (phase === 'off' || !avoidsReadings) return bubble(true);
          if (phase === 'begun') return bubble(false);
          const quietInMs = (nextInMs ?? 0) - preDelayMs - postDelayMs;
          if (quietInMs <= 0) {
            context.log(
              'WARNING',
              `Readings every ${(intervalMs ?? 0) / 1000} s leave no time for bubbling. Increase their interval.`,
            );
            return bubble(false);
          }
          await clock.sleep(postDelayMs);
          if (ownPhase === latestPhase) await bubble(true);
          await clock.sleep(quietInMs);
          if (ownPhase === latestPhase) await bubble(false);
        });

        return {
          async apply(values) {
            if (values.duty_cycle === 0)
              throw new SettingRefused(
                'duty_cycle',
                'The duty cycle must be above 0 %. Pause or stop the job instead.',
              );
            if (typeof values.duty_cycle === 'number') duty = values.duty_cycle;
            if (values.enable_dodging_od === false) isQuiet = false;
            await drive();
          },
          async sleep() {
            isSleeping = true;
            await drive();
          },
          async wake() {
            isSleeping = false;
            await drive();
          },
          stop: () => lease.release(),
        };
      },
    },
  ],

  descriptors: {
    jobs: [
      {
        display_name: 'Air bubbler',
        job_name: 'air_bubbler',
        display: true,
        source: 'air-bubbler',
        description: 'Bubbles air through the culture and pauses during readings of the optical density.',
        subtext: 'is_bubbling',
        published_settings: [
          {
            key: 'duty_cycle',
            type: 'numeric',
            display: true,
            label: 'Air flow',
            unit: '%',
            min: 0,
            max: 100,
            description: 'Duty cycle of the air pump.',
          },
        ],
      },
    ],
  },

  datasets: [
    {
      dataset_name: 'air_bubbler_log',
      display_name: 'Air bubbler',
      description: 'Log entries of the air bubblers of all units.',
      source: 'air-bubbler',
      query: "SELECT * FROM logs WHERE task = 'air_bubbler'",
      default_order_by: 'timestamp',
      has_experiment: true,
      has_unit: true,
      timestamp_columns: ['timestamp'],
    },
  ],

  routes: [
    {
      method: 'GET',
      path: 'state',
      summary: 'Whether air is flowing on this unit',
      response: {
        type: 'object',
        required: ['unit', 'is_running', 'is_bubbling', 'duty_cycle'],
        properties: {
          unit: { type: 'string' },
          is_running: { type: 'boolean' },
          is_bubbling: { type: 'boolean' },
          duty_cycle: { type: ['number', 'null'] },
        },
        additionalProperties: false,
      },
      async handle(_request, { unit, jobSettings }) {
        const settings = await jobSettings('air_bubbler');
        return {
          unit,
          is_running: settings !== undefined,
          is_bubbling: String(settings?.is_bubbling) === '1' || String(settings?.is_bubbling) === 'true',
          duty_cycle: settings === undefined ? null : Number(settings.duty_cycle),
        };
      },
    },
    {
      method: 'POST',
      path: 'flow',
      summary: 'The air flow of a common membrane pump at a duty cycle',
      body: {
        type: 'object',
        required: ['duty_cycle'],
        properties: { duty_cycle: { type: 'number', minimum: 0, maximum: 100 } },
        additionalProperties: false,
      },
      response: {
        type: 'object',
        required: ['litres_per_minute'],
        properties: { litres_per_minute: { type: 'number' } },
      },
      handle({ body }) {
        const duty = typeof body === 'object' && body !== null && 'duty_cycle' in body ? Number(body.duty_cycle) : 0;
        // A common membrane pump does not turn below a quarter of its supply voltage.
        return { litres_per_minute: duty < 25 ? 0 : (0.5 * (duty - 25)) / 75 };
      },
    },
  ],
});
