"""JSON documents of search engines and evaluation tools, as data: where their queries, documents and numbers are.

To read another one, add a `Shape` to `SHAPES`. `shapes.py` recognises and reads all of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Paths(NamedTuple):
    """The places of rankings or judgments in a document.

    A path has names with dots between them; `hits[]` is a list, `details{}` an object with any keys, `a|b` is a or else b.

    Args:
        docs: the documents of a query; those of `{}` have their ids as keys. "" is an object that is the only one; `[]?` may be absent.
        doc: the id in a document; "" for the usual names of chunks in RAG tools, or for the keys of `{}`.
        value: the score or the grade in a document; "" for the entry of `{}`, or for none in a list.
        lists: the objects with one ranking each, if the document is not one itself; the keys of `{}` are queries, unless `one_query`.
        query: the query in such an object; "" if only the surroundings of the document know it.
        queries: a list of the queries, beside that of the rankings.
        id_pattern: the group is the id; documents whose id does not match are none.
        skip: a path and the value that it has in documents without a grade.
        total: the number of documents that match the query.
        error: set if the engine failed.
        partial: set if documents may be missing; with `!`, false in that case.
        ordered: False if the order of the documents means nothing.
    """

    docs: str
    doc: str = ""
    value: str = ""
    lists: str = ""
    query: str = ""
    queries: str = ""
    id_pattern: str = ""
    skip: tuple[str, Any] | None = None
    total: str = ""
    error: str = ""
    partial: str = ""
    ordered: bool = True


class Shape(NamedTuple):
    """A JSON document of another program.

    Args:
        name: in messages and in the docs.
        origin: the program that writes it, for the docs.
        requires: paths that every such document has; names after a list are those of its first item. Of several shapes that a
            document matches, the one with the most names is its shape.
        example: a short document, for the docs and the tests.
        run: the places of its rankings.
        qrels: those of its judgments.
        splits: the document is `{subset: {split: …}}` beside the first required field; one split is read.
        one_query: it answers one query, whose id it does not have: that is the key in `{query: document}`, the field beside the
            document in `{"query": …, "response": document}`, or else the name of the file.
    """

    name: str
    origin: str
    requires: tuple[str, ...]
    example: str
    run: Paths | None = None
    qrels: Paths | None = None
    splits: bool = False
    one_query: bool = False


_HITS = Paths(
    "hits.hits[]",
    "_id",
    "_score",
    total="hits.total.value|hits.total",
    error="error",
    partial="timed_out|_shards.failed",
)
_SOLR = Paths(
    "response.docs[]",
    "id",
    "score",
    total="response.numFound",
    error="error|responseHeader.status",
    partial="responseHeader.partialResults",
)
_VESPA_ID = r"(?!group:)(?:id:.*?::)?(.*)"  # the user's part of `id:namespace:type::id`; groups are no documents
_VESPA = Paths(
    "root.children[]?",
    "fields.documentid|id",
    "relevance",
    id_pattern=_VESPA_ID,
    total="root.fields.totalCount",
    partial="root.errors|!root.coverage.full",
)

SHAPES = (
    Shape(
        "Elasticsearch response",
        "`GET /shop/_search` of Elasticsearch and OpenSearch",
        ("hits.hits[]",),
        """{"took": 3, "timed_out": false, "_shards": {"total": 1, "successful": 1, "failed": 0},
 "hits": {"total": {"value": 2, "relation": "eq"}, "max_score": 1.5,
          "hits": [{"_index": "shop", "_id": "d2", "_score": 1.5, "_source": {"title": "Red shoes"}},
                   {"_index": "shop", "_id": "d1", "_score": 0.5, "_source": {"title": "Shoe box"}}]}}""",
        run=_HITS,
        one_query=True,
    ),
    Shape(
        "Elasticsearch error",
        "a request that failed; always an error",
        ("error", "status"),
        """{"error": {"type": "index_not_found_exception", "reason": "no such index [shop]"}, "status": 404}""",
        run=_HITS,
        one_query=True,
    ),
    Shape(
        "Elasticsearch _msearch response",
        "`GET /_msearch` of Elasticsearch and OpenSearch, with the list `queries` added",
        ("responses[]",),
        """{"took": 5, "queries": ["red shoes", "rain coat"], "responses": [
  {"took": 3, "timed_out": false, "hits": {"total": {"value": 1}, "hits": [{"_index": "shop", "_id": "d1", "_score": 1.5}]}, "status": 200},
  {"took": 2, "timed_out": false, "hits": {"total": {"value": 1}, "hits": [{"_index": "shop", "_id": "d2", "_score": 0.5}]}, "status": 200}]}""",
        run=_HITS._replace(lists="responses[]", queries="queries"),
    ),
    Shape(
        "_rank_eval request",
        "the body of `POST /shop/_rank_eval` of Elasticsearch and OpenSearch",
        ("requests[].ratings[]", "requests[].id"),
        """{"requests": [
  {"id": "q1", "request": {"query": {"match": {"title": "red shoes"}}},
   "ratings": [{"_index": "shop", "_id": "d1", "rating": 0}, {"_index": "shop", "_id": "d2", "rating": 3}]}],
 "metric": {"dcg": {"k": 10, "normalize": true}}}""",
        qrels=Paths("ratings[]", "_id", "rating", lists="requests[]", query="id"),
    ),
    Shape(
        "_rank_eval response",
        "the answer to `POST /shop/_rank_eval`; its ratings are those of the request",
        ("metric_score", "details{}"),
        """{"metric_score": 0.6, "details": {
  "q1": {"metric_score": 0.6, "unrated_docs": [{"_index": "shop", "_id": "d9"}],
         "hits": [{"hit": {"_index": "shop", "_id": "d2", "_score": 1.5}, "rating": 3},
                  {"hit": {"_index": "shop", "_id": "d9", "_score": 0.5}, "rating": null}],
         "metric_details": {"dcg": {"dcg": 7.0}}}},
 "failures": {}}""",
        run=Paths("hits[]", "hit._id", "hit._score", lists="details{}", error="failures"),
    ),
    Shape(
        "Solr response",
        "`/select` of Solr; without `fl=*,score` the order of the documents is used",
        ("response.docs[]",),
        """{"responseHeader": {"status": 0, "QTime": 3},
 "response": {"numFound": 2, "start": 0, "maxScore": 1.5, "numFoundExact": true,
              "docs": [{"id": "d2", "title": "Red shoes", "score": 1.5}, {"id": "d1", "title": "Shoe box", "score": 0.5}]}}""",
        run=_SOLR,
        one_query=True,
    ),
    Shape(
        "Solr error",
        "a request that failed; always an error",
        ("error{}", "responseHeader.status"),
        """{"responseHeader": {"status": 400, "QTime": 1}, "error": {"msg": "undefined field brand", "code": 400}}""",
        run=_SOLR,
        one_query=True,
    ),
    Shape(
        "Vespa response",
        "`/search/` of Vespa; `id:namespace:type::d1` is document `d1`",
        ("root{}", "root.relevance"),
        """{"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 2}, "coverage": {"coverage": 100, "full": true},
 "children": [{"id": "id:shop:product::d2", "relevance": 1.5, "source": "shop", "fields": {"title": "Red shoes"}},
              {"id": "id:shop:product::d1", "relevance": 0.5, "source": "shop", "fields": {"title": "Shoe box"}}]}}""",
        run=_VESPA,
        one_query=True,
    ),
    Shape(
        "Quepid ratings file",
        "`/api/export/ratings/ID.json` of Quepid",
        ("queries[].ratings{}", "queries[].query"),
        """{"queries": [{"query": "red shoes", "ratings": {"d1": 0, "d2": 3}}]}""",
        qrels=Paths("ratings{}", lists="queries[]", query="query"),
    ),
    Shape(
        "Quepid case",
        "the JSON export of a case of Quepid",
        ("case_name", "queries[].query_text", "queries[].ratings[]"),
        """{"case_name": "Shop", "queries": [{"query_text": "red shoes", "information_need": "shoes that are red",
  "ratings": [{"doc_id": "d1", "rating": 0.0}, {"doc_id": "d2", "rating": 3.0}]}]}""",
        qrels=Paths("ratings[]", "doc_id", "rating", lists="queries[]", query="query_text", skip=("rating", None)),
    ),
    Shape(
        "RRE ratings file",
        "`ratings.json` of the Rated Ranking Evaluator with a list of queries, as Quepid exports it",
        ("id_field", "index", "queries[].placeholders.$query"),
        """{"index": "shop", "id_field": "id", "queries": [{"placeholders": {"$query": "red shoes"},
  "relevant_documents": {"d1": {"gain": 1}, "d2": {"gain": 3}}}]}""",
        qrels=Paths("relevant_documents{}", value="gain", lists="queries[]", query="placeholders.$query"),
    ),
    Shape(
        "OpenSearch judgment list",
        "the body of `PUT _plugins/_search_relevance/judgments`",
        ("judgmentRatings[]",),
        """{"name": "Imported judgments", "type": "IMPORT_JUDGMENT",
 "judgmentRatings": [{"query": "red shoes", "ratings": [{"docId": "d1", "rating": "0.0"}, {"docId": "d2", "rating": "3.0"}]}]}""",
        qrels=Paths("ratings[]", "docId", "rating", lists="judgmentRatings[]", query="query"),
    ),
    Shape(
        "LangSmith retriever run",
        '`client.list_runs(run_type="retriever")` of LangSmith, as JSON',
        ("run_type", "inputs{}", "outputs.documents[]"),
        """{"id": "1", "run_type": "retriever", "inputs": {"query": "red shoes"},
 "outputs": {"documents": [{"page_content": "Shoe box", "metadata": {"id": "d2"}, "type": "Document"}]}}""",
        run=Paths("outputs.documents[]", query="reference_example_id|inputs.query|inputs.question|inputs.input"),
    ),
    Shape(
        "prediction file of MTEB",
        "`mteb.evaluate(…, prediction_folder=…)`",
        ("mteb_model_meta{}",),
        """{"mteb_model_meta": {"model_name": "intfloat/e5-small", "revision": "1"},
 "default": {"test": {"q1": {"d1": 0.5, "d2": 0.75}}}}""",
        run=Paths("{}", lists="{}", ordered=False),
        splits=True,
    ),
    Shape(
        "sentence-transformers prediction",
        "`InformationRetrievalEvaluator(…, write_predictions=True)`",
        ("query_id", "query", "results[].corpus_id", "results[].score"),
        """{"query_id": "q1", "query": "red shoes", "results": [{"corpus_id": "d2", "score": 0.75}, {"corpus_id": "d1", "score": 0.5}]}""",
        run=Paths("results[]", "corpus_id", "score", query="query_id"),
    ),
    Shape(
        "judgment of UMBRELA",
        "`umbrela judge --input-file … --output-file …`",
        ("query", "passage", "judgment"),
        """{"model": "gpt-4o", "query": "red shoes", "passage": "Red running shoes.", "prompt": "…", "prediction": "##final score: 3",
 "judgment": 3, "result_status": 1}""",
        # The 0 beside `result_status` 0 is not a grade: the answer of the model had none.
        qrels=Paths(
            "", "docid|doc_id|passage_id|passage", "judgment", query="qid|query_id|query", skip=("result_status", 0)
        ),
    ),
)
