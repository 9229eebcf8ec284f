import { leaderApi } from '@lcs/contract';
import { ActionIcon, Menu } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { ConcernedExperiment, useMay } from '../services/use-may.ts';
import { DotsIcon } from '../ui/icons.tsx';
import type { Duplicate, OpenDialog } from './dialogs.ts';
import type { ExperimentRow } from './experiment-rows.ts';

interface RowMenuProps {
  readonly row: ExperimentRow;
  readonly onDialog: OpenDialog;
  readonly onDuplicate: Duplicate;
}

interface RowItemsProps extends RowMenuProps {
  readonly opener: HTMLElement | null;
}

/** Rendered when the menu opens: the protection of an experiment is requested then. */
function RowItems({ row, opener, onDialog, onDuplicate }: RowItemsProps) {
  const { experiment } = row;
  const may = useMay();
  return (
    <>
      <Menu.Item
        renderRoot={(props) => (
          <Link to="/experiments/$experiment" params={{ experiment: experiment.experiment }} {...props} />
        )}
      >
        Open
      </Menu.Item>
      <Menu.Item onClick={() => onDialog({ kind: 'edit', experiment }, opener)} {...may(leaderApi.updateExperiment)}>
        Edit description and tags
      </Menu.Item>
      <Menu.Item onClick={() => onDialog({ kind: 'access', experiment: experiment.experiment }, opener)}>
        Owner and members…
      </Menu.Item>
      <Menu.Item onClick={() => onDuplicate(row, opener)} {...may(leaderApi.createExperiment)}>
        Duplicate
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item
        className="danger"
        onClick={() => onDialog({ kind: 'delete', row }, opener)}
        {...may(leaderApi.deleteExperiment)}
      >
        Delete…
      </Menu.Item>
    </>
  );
}

/** The actions for one experiment of a list. */
export function RowMenu(props: RowMenuProps) {
  const { experiment } = props.row.experiment;
  const opener = useRef<HTMLButtonElement>(null);
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon ref={opener} variant="subtle" color="gray" aria-label={`Actions for ${experiment}`}>
          <DotsIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <ConcernedExperiment value={experiment}>
          <RowItems {...props} opener={opener.current} />
        </ConcernedExperiment>
      </Menu.Dropdown>
    </Menu>
  );
}
