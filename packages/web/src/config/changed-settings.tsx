import { Button, Table, Text } from '@mantine/core';
import { Panel } from '../ui/panel.tsx';
import { commonWords } from '../words/common.ts';
import { configWords } from '../words/config.ts';
import type { ChangedSetting } from './config-settings.ts';
import { shownValue } from './number-setting.ts';
import { sectionTitle, settingLabel } from './setting-words.ts';

interface ChangedSettingsProps {
  /** "the default", or "the shared file". */
  readonly than: string;
  readonly changed: readonly ChangedSetting[];
  readonly isReadOnly: boolean;
  /** Gives the key the other value in the draft. */
  readonly onReset: (setting: ChangedSetting) => void;
}

const shown = ({ field: { declaration } }: ChangedSetting, value: string): string =>
  value === '' ? commonWords.notSet : shownValue(declaration, value);

/** The settings of the draft that differ from the default or, of a unit, from the shared file. */
export function ChangedSettings({ than, changed, isReadOnly, onReset }: ChangedSettingsProps) {
  return (
    <Panel title={configWords.differsFrom(than)}>
      {changed.length === 0 ? (
        <Text size="sm">{configWords.nothingDiffersFrom(than)}</Text>
      ) : (
        <Table.ScrollContainer minWidth={480} type="native">
          <Table verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{configWords.setting}</Table.Th>
                <Table.Th>{commonWords.here}</Table.Th>
                <Table.Th>{than === 'the default' ? commonWords.default : configWords.sharedFile}</Table.Th>
                <Table.Td />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changed.map((setting) => {
                const { section, key, declaration } = setting.field;
                const name = `${sectionTitle(section)} – ${settingLabel(section, key, declaration.unit)}`;
                return (
                  <Table.Tr key={`${section} ${key}`}>
                    <Table.Td>{name}</Table.Td>
                    <Table.Td>{shown(setting, setting.now)}</Table.Td>
                    <Table.Td>{shown(setting, setting.usual)}</Table.Td>
                    <Table.Td ta="end">
                      <Button
                        size="compact-sm"
                        variant="default"
                        disabled={isReadOnly}
                        aria-label={configWords.resetNamed(name)}
                        onClick={() => onReset(setting)}
                      >
                        {configWords.reset}
                      </Button>
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Panel>
  );
}
