import { Accordion, Anchor, Badge, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type FieldDescriptor, type FieldOption, type FieldValue, FormField } from '../forms/form-field.tsx';
import { SearchIcon } from '../ui/icons.tsx';
import { valueText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { configWords } from '../words/config.ts';
import styles from './config-form.module.css';
import { type ConfigField, isSame } from './config-settings.ts';
import { defaultText, originOf } from './default-text.ts';
import { isNumberSetting, shownValue, writtenNumber } from './number-setting.ts';
import { effectWords } from './saved-text.ts';
import { foundFields, readableDescription, sectionTitle, settingLabel } from './setting-words.ts';

interface ConfigFormProps {
  /** What the search has at first. */
  readonly find: string;
  readonly sections: readonly { readonly section: string; readonly fields: readonly ConfigField[] }[];
  readonly isReadOnly: boolean;
  /** What a key without own value has: "Default", or "Shared file". */
  readonly otherwise: string;
  /** A value was entered; '' is none. */
  readonly onChange: (section: string, key: string, value: string) => void;
  /** A field without value was left. */
  readonly onLeaveEmpty: (section: string, key: string) => void;
  /** Shows the line of the key in the text. */
  readonly onShow: (section: string, key: string) => void;
}

const choiceNames: Readonly<Record<string, string>> = configWords.choiceNames;
/** `clock_time` → `clock time` */
const choiceLabel = (choice: string): string => choiceNames[choice] ?? choice.replaceAll('_', ' ');

/** The spelling of a value among the options of its field. */
function asOption({ declaration: { value, parse } }: ConfigField, text: string): string {
  if (text === '' || value.type !== 'boolean') return text;
  const parsed = parse(text);
  if (!parsed.ok || typeof parsed.value !== 'boolean') return text;
  return parsed.value ? '1' : '0';
}

function optionsOf(field: ConfigField, otherwise: string): readonly FieldOption[] | undefined {
  const { value } = field.declaration;
  if (value.type !== 'boolean' && value.type !== 'choice') return undefined;
  const known = value.type === 'choice' ? value.choices : ['1', '0', ...(value.names ?? [])];
  const written = asOption(field, field.written);
  const all = written === '' || known.includes(written) ? known : [...known, written];
  const absent = asOption(field, field.inherited || field.otherwise);
  const isTwofold = !isSame(field.declaration, field.usual, field.otherwise) && field.inherited === '';
  const origin = isTwofold ? configWords.ifNothingIsChosen : originOf(field, otherwise);
  const empty = absent === '' ? configWords.notSet : `${origin}: ${choiceLabel(absent)}`;
  return [{ value: '', label: empty }, ...all.map((each) => ({ value: each, label: choiceLabel(each) }))];
}

function hintOf(field: ConfigField, otherwiseName: string): string {
  const { declaration } = field;
  const { value, needsRestart } = declaration;
  const description = readableDescription(declaration.section, declaration.description);
  const range =
    value.type === 'number' || value.type === 'integer'
      ? [
          ...(value.min === undefined
            ? []
            : [`${value.excludesMin ? configWords.above : configWords.from} ${valueText(value.min)}`]),
          ...(value.max === undefined ? [] : [configWords.toMaximum(valueText(value.max))]),
        ].join(' ')
      : '';
  const names = 'names' in value && value.type !== 'boolean' ? (value.names ?? []) : [];
  const valid = [...(range === '' ? [] : [range]), ...names].join(commonWords.joinOr);
  const parts = [description, valid === '' ? '' : configWords.validRange(valid), defaultText(field, otherwiseName)];
  return [...parts, configWords.takesEffect(effectWords[needsRestart])].filter((part) => part !== '').join(' ');
}

const isNumber = ({ declaration }: ConfigField): boolean => isNumberSetting(declaration);

function descriptorOf(field: ConfigField, otherwiseName: string): FieldDescriptor {
  const { section, key, declaration, inherited, otherwise } = field;
  const options = optionsOf(field, otherwiseName);
  const common = {
    name: key,
    label: settingLabel(section, key, declaration.unit),
    hint: hintOf(field, otherwiseName),
  };
  const isNumeric = isNumber(field);
  const placeholder = inherited || otherwise;
  return options === undefined
    ? { ...common, kind: 'text', isNumeric, placeholder: shownValue(declaration, placeholder) }
    : { ...common, kind: 'choice', options, isNative: true };
}

interface OneFieldProps
  extends Pick<ConfigFormProps, 'isReadOnly' | 'otherwise' | 'onChange' | 'onLeaveEmpty' | 'onShow'> {
  readonly field: ConfigField;
}

/** Spaces at the end of what is typed are no part of a value, but must not disappear while it is typed. */
function OneField({ field, isReadOnly, otherwise, onChange, onLeaveEmpty, onShow }: OneFieldProps) {
  const { section, key, fault } = field;
  const [typed, setTyped] = useState('');
  const [isCleared, setCleared] = useState(false);
  const written = asOption(field, field.written);
  const textOf = (text: string): string => (isNumber(field) ? writtenNumber(text) : text.trim());
  const change = (value: FieldValue): void => {
    setTyped(String(value));
    setCleared(String(value).trim() === '');
    onChange(section, key, isNumber(field) ? writtenNumber(String(value)) : String(value));
  };
  const leave = (): void => {
    if (isCleared) onLeaveEmpty(section, key);
    setCleared(false);
  };
  return (
    <div className={styles.field}>
      <FormField
        field={descriptorOf(field, otherwise)}
        value={textOf(typed) === written ? typed : shownValue(field.declaration, written)}
        fault={fault}
        isDisabled={isReadOnly}
        onChange={change}
        onLeave={leave}
      />
      {field.written !== '' && (
        <Anchor component="button" type="button" size="sm" onClick={() => onShow(section, key)}>
          {configWords.showInText}
        </Anchor>
      )}
    </div>
  );
}

/** The settings of a file as a form; a search finds those by name and meaning. */
export function ConfigForm({ sections, find, ...shared }: ConfigFormProps) {
  const [search, setSearch] = useState(find);
  const [showsAll, setShowsAll] = useState(false);
  const [opened, setOpened] = useState<readonly string[]>(['bioreactor']);
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = sections.flatMap(({ section, fields }) => {
    const wanted =
      words.length > 0
        ? foundFields(section, fields, words)
        : fields.filter((field) => showsAll || field.isCommon || field.fault !== null);
    return wanted.length === 0 ? [] : [{ section, fields: wanted }];
  });
  const isSearch = words.length > 0;
  return (
    <Stack gap="sm">
      <Group align="end">
        <TextInput
          className={styles.search ?? ''}
          label={configWords.findSetting}
          leftSection={<SearchIcon size={16} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <Switch
          label={configWords.showRarelyUsedSettings}
          checked={showsAll}
          onChange={(event) => setShowsAll(event.currentTarget.checked)}
        />
      </Group>
      {shown.length === 0 && <Text size="sm">{configWords.noSettingMatches}</Text>}
      <Accordion
        multiple
        variant="contained"
        value={isSearch ? shown.map(({ section }) => section) : [...opened]}
        onChange={(sectionsOpened) => !isSearch && setOpened(sectionsOpened)}
        order={3}
        transitionDuration={0}
      >
        {shown.map(({ section, fields }) => {
          const faults = fields.filter(({ fault }) => fault !== null).length;
          return (
            <Accordion.Item key={section} value={section}>
              <Accordion.Control>
                <Group gap="xs">
                  {sectionTitle(section)}
                  {faults > 0 && (
                    <Badge color="red.9" size="md" tt="none">
                      {configWords.valuesAreNotValid(faults)}
                    </Badge>
                  )}
                </Group>
              </Accordion.Control>
              <Accordion.Panel>
                {(isSearch || opened.includes(section)) && (
                  <div className={styles.fields}>
                    {fields.map((field) => (
                      <OneField key={field.key} field={field} {...shared} />
                    ))}
                  </div>
                )}
              </Accordion.Panel>
            </Accordion.Item>
          );
        })}
      </Accordion>
    </Stack>
  );
}
