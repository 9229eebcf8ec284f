import { Link } from '@tanstack/react-router';

/** Stands where the level of a bottle would be entered: a unit follows it only from the size of the bottle on. */
export const NoBottleSize = () => (
  <span>
    The level of a bottle without a size is not monitored.{' '}
    <Link to="/settings/configuration" search={{ find: 'bottle' }} className="page-link in-text">
      Set the sizes of bottles
    </Link>
  </span>
);
