import { leaderApi } from '@lcs/contract';
import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { commonWords } from '../words/common.ts';
import { experimentItemsWords } from '../words/experiment-items.ts';
import type { Duplicate, OpenDialog } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';
import { refusalText, useExperimentChange } from './use-experiment-change.ts';

export interface ExperimentActions {
  readonly row: ExperimentRow;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
}

/** What can be done with an experiment, as entries of a menu. Rendered when the menu opens: its protection is requested then. */
export function ExperimentItems({
  row,
  opener,
  onDialog,
  onDuplicate,
}: ExperimentActions & { readonly opener: HTMLElement | null }) {
  const { experiment } = row;
  const { experiment: name } = experiment;
  const may = useMay();
  const { toasts } = useServices();
  const change = useExperimentChange(name);
  const apply = (body: Parameters<typeof change.mutate>[0]): void =>
    change.mutate(body, {
      onError: (error) => {
        toasts.want();
        notifications.show({ message: experimentItemsWords.wasNotChanged(name, refusalText(error)), color: 'red' });
      },
    });
  return (
    <>
      <Menu.Item onClick={() => onDuplicate(row, opener)} {...may(leaderApi.createExperiment)}>
        {commonWords.copyWithItsSetUp}
      </Menu.Item>
      <Menu.Item onClick={() => onDialog({ kind: 'edit', row }, opener)} {...may(leaderApi.updateExperiment)}>
        {experimentItemsWords.editDesignDescriptionAndTags}
      </Menu.Item>
      <Menu.Item onClick={() => onDialog({ kind: 'access', experiment: name }, opener)}>
        {commonWords.ownerAndMembers}
      </Menu.Item>
      <Menu.Divider />
      {row.endedAtMs === null ? (
        <Menu.Item onClick={() => onDialog({ kind: 'end', row }, opener)} {...may(leaderApi.updateExperiment)}>
          {commonWords.end}
        </Menu.Item>
      ) : (
        <Menu.Item onClick={() => apply({ ended_at: null })} {...may(leaderApi.updateExperiment)}>
          {commonWords.reopen}
        </Menu.Item>
      )}
      <Menu.Item
        onClick={() =>
          experiment.archived === undefined && row.endedAtMs === null
            ? onDialog({ kind: 'archive', row }, opener)
            : apply({ archived: experiment.archived === undefined })
        }
        {...may(leaderApi.updateExperiment)}
      >
        {experiment.archived !== undefined
          ? commonWords.unarchive
          : row.endedAtMs === null
            ? experimentItemsWords.archiveDialog
            : commonWords.archive}
      </Menu.Item>
      <Menu.Item
        className="danger"
        onClick={() => onDialog({ kind: 'delete', row }, opener)}
        {...may(leaderApi.deleteExperiment)}
      >
        {commonWords.deleteDialog}
      </Menu.Item>
    </>
  );
}
