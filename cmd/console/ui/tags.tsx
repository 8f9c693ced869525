/** A row of short texts. */
export const Tags = ({ texts }: { readonly texts: readonly string[] }) =>
  texts.map((text) => (
    <code className="tag" key={text}>
      {text}
    </code>
  ));
