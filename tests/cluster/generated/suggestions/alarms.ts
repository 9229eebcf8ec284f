import fc from 'fast-check';
import { type Known, prototypeNames } from '../known.ts';
import { type Feature, forAll, type Given, oneOf, usually } from './given.ts';

const nothing = '00000000-0000-4000-8000-000000000000';
const authors = fc.constantFrom<object>({}, { author: 'A' }, { author: 'B', comment: 'seen' });

/** Alarms with their last reported states; those with a fitting state are more probable. */
function alarm(known: Known, fits: (state: string) => boolean): fc.Arbitrary<Record<string, string>> {
  const all = [...known.alarms].map(([alarm_id, state]) => ({ alarm_id, state }));
  const fitting = all.filter(({ state }) => fits(state));
  const others = oneOf([...all.slice(-3).map(({ alarm_id }) => alarm_id), nothing], nothing);
  const some = fitting.length > 0 ? fc.constantFrom(...fitting.map(({ alarm_id }) => alarm_id)) : others;
  return fc.oneof({ weight: 6, arbitrary: some }, { weight: 1, arbitrary: others }).map((alarm_id) => ({ alarm_id }));
}

const isOpen = (state: string): boolean => state !== 'cleared';

const onAlarm =
  (fits: (state: string) => boolean, body: fc.Arbitrary<object>) =>
  (known: Known): fc.Arbitrary<Given> =>
    fc.tuple(alarm(known, fits), body).map(([params, sent]) => ({ params, body: sent }));

const rules = usually(['unit_offline', 'unit_trouble', 'series_silent', 'disk_low', 'bottle_low'], ['no_rule']);
const ruleChanges = usually<object>(
  [{ severity: 'critical' }, { severity: 'warning', author: 'A' }, { severity: 'error', is_enabled: true }],
  [{}, { parameters: { no_parameter: 1 } }, { severity: 'error', reactor_unit: 'nobody' }],
);

const names = [...Array.from({ length: 11 }, (_, index) => `channel ${index}`), ...prototypeNames];

/** Some channels reach a listener of the test; the others reach no listener on this machine. */
const channels = ({ listener }: Known): fc.Arbitrary<Given> =>
  fc
    .tuple(
      fc.constantFrom(...names),
      usually<object>(
        [
          { kind: 'webhook', url: listener },
          { kind: 'webhook', url: listener, secret: 'x', min_severity: 'critical' },
          { kind: 'ping', url: listener, every_minutes: 60 },
          { kind: 'email', to: ['a@example.org'], is_enabled: false },
        ],
        [{ kind: 'webhook' }, { kind: 'email', to: ['a b'] }, { kind: 'webhook', url: 'ftp://127.0.0.1/' }],
      ),
    )
    .map(([name, channel]) => ({ body: { name, ...channel } }));

const channel = (known: Known): fc.Arbitrary<Given> =>
  oneOf(known.channels, nothing).map((channel_id) => ({ params: { channel_id } }));

export const alarms: Feature = {
  values: (known) => ({
    rule: rules,
    state: fc.constantFrom('open', 'all', 'cleared'),
    channel: oneOf(known.channels, nothing),
  }),
  requests: {
    listAlarms: () => usually<Given>([{ query: {} }, { query: { state: 'all' } }], [{ query: { state: 'lost' } }]),
    getAlarm: (known) => alarm(known, () => true).map((params) => ({ params })),
    acknowledgeAlarm: onAlarm(isOpen, authors),
    shelveAlarm: onAlarm(
      isOpen,
      usually<object>([{ minutes: 60 }, { minutes: 1440, author: 'A' }], [{}, { until: 'soon' }]),
    ),
    unshelveAlarm: onAlarm((state) => state === 'shelved', authors),
    updateAlarmRule: () => fc.tuple(rules, ruleChanges).map(([rule, body]) => ({ params: { rule }, body })),
    resetAlarmRule: () =>
      fc.tuple(rules, authors).map(([rule, { author }]: [string, { author?: string }]) => ({
        params: { rule },
        body: author === undefined ? {} : { author },
      })),
    createAlarmChannel: channels,
    updateAlarmChannel: (known) =>
      fc
        .tuple(
          channel(known),
          usually<object>(
            [{ min_severity: 'critical' }, { is_enabled: false }, { is_enabled: true }],
            [{}, { name: '' }],
          ),
        )
        .map(([given, body]) => ({ ...given, body })),
    ...forAll(['deleteAlarmChannel', 'testAlarmChannel'], channel),
    drillAlarms: () => authors.map((body) => ({ body })),
  },
};
