import { Link } from '@tanstack/react-router';

/** Users, each as a link to its page. */
export const UserLinks = ({ names }: { readonly names: readonly string[] }) =>
  names.map((name) => (
    <Link key={name} className="tag" to="/users/$name" params={{ name }} preload={false}>
      {name}
    </Link>
  ));

/** Teams, each as a link to its page. */
export const TeamLinks = ({ names }: { readonly names: readonly string[] }) =>
  names.map((name) => (
    <Link key={name} className="tag" to="/teams/$name" params={{ name }} preload={false}>
      {name}
    </Link>
  ));
