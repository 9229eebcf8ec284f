import { parseIni } from '@lcs/contract/ini';
import { settings, shippedValues } from '@lcs/domain';
import { describe, expect, it } from 'vitest';
import { changedSettings, configFields, withoutEmpty, withSetting } from './config-settings.ts';
import { defaultText, leftEmpty } from './default-text.ts';
import { namedSettings } from './named-settings.ts';
import { foundFields, readableDescription, sectionTitle, settingLabel } from './setting-words.ts';

const read = (text: string) => parseIni(text).document;
const shared = { shared: undefined };
const fieldOf = (text: string, section: string, key: string, reference = shared) =>
  configFields(read(text), reference)
    .flatMap(({ fields }) => fields)
    .find((field) => field.section === section && field.key === key);

/** The file of a new leader. */
const shippedText = [...new Set(settings.map(({ section }) => section))]
  .flatMap((section) => [`[${section}]`, ...Object.entries(shippedValues(section)).map((entry) => entry.join('='))])
  .join('\n');

describe('the form of a configuration file', () => {
  it('has every key that something reads, with its value, its default and what is wrong with it', () => {
    const text = '[stirring.config]\ninitial_target_rpm=9000\n';
    expect(fieldOf(text, 'stirring.config', 'initial_target_rpm')).toMatchObject({
      written: '9000',
      otherwise: '500',
      isCommon: true,
      fault: expect.stringContaining('1500'),
    });
    expect(fieldOf('', 'camera', 'max_stills')).toMatchObject({ written: '', otherwise: '500', isCommon: false });
    expect(fieldOf('', 'mqtt', 'password')).toBeUndefined();
    expect(fieldOf('', 'stirring.config', 'pwm_hz')).toBeUndefined();
  });

  it('has one default: the value of a new leader, which nothing lists as a difference', () => {
    const differing = configFields(read(''), shared)
      .flatMap(({ fields }) => fields)
      .filter(({ usual, otherwise }) => usual !== otherwise);
    expect(differing.length).toBeGreaterThan(0);
    const [field] = differing;
    if (field === undefined) throw new Error('There is one.');
    expect(defaultText(field, 'Default')).toContain(`Default: ${field.usual}`);
    expect(defaultText(field, 'Default')).toContain(field.otherwise === '' ? `${leftEmpty}: none` : field.otherwise);
    expect(defaultText({ ...field, otherwise: field.usual }, 'Default')).not.toContain(leftEmpty);
    expect(changedSettings(read(shippedText), shared).filter(({ field: { key } }) => key === field.key)).toEqual([]);
  });

  it('has the keys of the text that any name may have, and no unknown ones', () => {
    const text = '[resume]\nstirring=hold\n[od_reading.config]\nspeed=1\n[nowhere]\na=1\n';
    expect(fieldOf(text, 'resume', 'stirring')).toMatchObject({ written: 'hold', fault: null });
    expect(fieldOf(text, 'od_reading.config', 'speed')).toBeUndefined();
    expect(fieldOf(text, 'nowhere', 'a')).toBeUndefined();
  });

  it('shows a value of [DEFAULT] as inherited, until the section has its own', () => {
    const text = (own: string) => `[DEFAULT]\ninitial_target_rpm=900\n[stirring.config]\n${own}`;
    const field = (own: string) => fieldOf(text(own), 'stirring.config', 'initial_target_rpm');
    expect(field('')).toMatchObject({ written: '', inherited: '900', isCommon: true });
    expect(field('initial_target_rpm=450\n')).toMatchObject({ written: '450', inherited: '' });
    const [changed] = changedSettings(read(text('')), shared).filter(
      ({ field: { key } }) => key === 'initial_target_rpm',
    );
    expect(changed).toMatchObject({ now: '900', usual: '500' });
  });

  it('of a unit shows the value of the shared file', () => {
    const reference = { shared: read('[stirring.config]\ninitial_target_rpm=450\n').view() };
    const field = fieldOf('', 'stirring.config', 'initial_target_rpm', Object.assign({}, shared, reference));
    expect(field).toMatchObject({ written: '', otherwise: '450' });
  });

  it('is found by the words of people, also what is used rarely', () => {
    const found = (typed: string) =>
      configFields(read(''), shared).flatMap(({ section, fields }) =>
        foundFields(section, fields, typed.split(' ')).map(({ key }) => key),
      );
    expect(found('interval')).toContain('samples_per_second');
    expect(found('stirring speed')).toContain('initial_target_rpm');
    expect(found('interval nonsense')).toEqual([]);
    expect(found('bottle')).toEqual(
      expect.arrayContaining(['media_bottle_ml', 'alt_media_bottle_ml', 'waste_bottle_ml']),
    );
    expect(found('bottle')).not.toContain('initial_volume_ml');
    expect(found('vial and')).toContain('evaporation_ml_per_hour');
  });

  it('is found by the words that the search of all pages fills in, which are no machine names', () => {
    const sections = configFields(read(shippedText), shared);
    for (const { id, find } of namedSettings) {
      expect(find).not.toMatch(/[a-z]_[a-z]/);
      const [section = '', key = ''] = id.split(' ');
      const fields = sections.find((each) => each.section === section)?.fields ?? [];
      // What this text does not contain is declared all the same.
      if (fields.some((field) => field.key === key))
        expect(
          foundFields(section, fields, find.toLowerCase().split(/\s+/)).map((field) => field.key),
          find,
        ).toContain(key);
    }
    expect(namedSettings.length).toBeGreaterThan(50);
  });

  it('has a title for every section, and no machine names in its labels', () => {
    for (const { section, fields } of configFields(read(shippedText), shared)) {
      expect(sectionTitle(section)).not.toMatch(/[._]/);
      for (const { key, declaration } of fields) {
        if (declaration.key !== '*') expect(settingLabel(section, key, declaration.unit)).not.toContain('_');
        expect(readableDescription(section, declaration.description)).not.toMatch(/[a-z]+_[a-z]+/);
      }
    }
    expect(settingLabel('stirring.config', 'initial_target_rpm', 'RPM')).toBe('Initial target RPM');
    expect(settingLabel('bioreactor', 'initial_volume_ml', 'mL')).toBe('Initial volume (mL)');
    expect(settingLabel('bioreactor', 'evaporation_ml_per_hour', 'mL/h')).toBe('Evaporation (mL/h)');
  });
});

describe('the difference from the default', () => {
  it('is empty in the file of a new leader', () => {
    expect(changedSettings(read(shippedText), shared)).toEqual([]);
  });

  it('names changed and removed keys, but not another spelling of the same value', () => {
    const text = shippedText
      .replace('initial_target_rpm=500', 'initial_target_rpm=450')
      .replace('max_subdose=1.0', 'max_subdose=1')
      .replace('use_rpm=1', 'use_rpm=yes')
      .replace('2=media\n', '');
    const changed = changedSettings(read(text), shared);
    expect(changed.map(({ field: { section, key }, now, usual }) => [section, key, now, usual])).toEqual([
      ['stirring.config', 'initial_target_rpm', '450', '500'],
      ['PWM', '2', '', 'media'],
    ]);
  });

  it('of a unit is that from the shared file', () => {
    const reference = { shared: read('[stirring.config]\ninitial_target_rpm=450\n').view() };
    const own = read('[stirring.config]\ninitial_target_rpm=450\npre_delay_duration=2\n');
    const changed = changedSettings(own, reference);
    expect(changed.map(({ field: { key }, now, usual }) => [key, now, usual])).toEqual([
      ['pre_delay_duration', '2', '1.5'],
    ]);
  });
});

describe('a value from the form', () => {
  it('changes one line of the text; an empty one keeps its line until the field is left', () => {
    const text = '# lab\n[stirring.config]\ninitial_target_rpm = 500\n';
    expect(withSetting(text, 'stirring.config', 'initial_target_rpm', ' 450 ')).toBe(
      '# lab\n[stirring.config]\ninitial_target_rpm=450\n',
    );
    const cleared = withSetting(text, 'stirring.config', 'initial_target_rpm', '') ?? '';
    expect(withoutEmpty(cleared, 'stirring.config', 'initial_target_rpm')).toBe('# lab\n[stirring.config]\n');
    expect(withoutEmpty(text, 'stirring.config', 'initial_target_rpm')).toBe(text);
    expect(withSetting(text, 'camera', 'enabled', '')).toBe(text);
    expect(withSetting(text, 'camera', 'enabled', '1')).toBe(`${text}\n[camera]\nenabled=1\n`);
  });

  it('that replaces a cleared one stays below its comment', () => {
    const text = '[a]\n# why 500: foam above 600\nrpm=500\n# pwm frequency\nhz=200\n';
    const cleared = withSetting(text, 'a', 'rpm', '') ?? '';
    expect(withSetting(cleared, 'a', 'rpm', '450')).toBe(text.replace('rpm=500', 'rpm=450'));
  });

  it('that no file can have changes nothing', () => {
    expect(withSetting('', 'camera', 'device_path', 'a\n#b')).toBeUndefined();
  });
});
