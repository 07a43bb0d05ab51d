/* Step 8: steps/worker/08-send_http.md; which whole answer is believed */
#include "worker_http.h"

#define ACK "{\"id\":\"@\",\"accepted\":true}"

#define VALUE_1  outcome_value(1)
#define DELIVERY outcome_of(OUTCOME_DELIVERY, 0)

CHECK(send_http, an_acknowledgement_is_believed_however_its_json_is_spelled, "send_http.5")
{
    static const char *const bodies[] = {
        ACK,
        "{\"accepted\":true,\"id\":\"@\"}",
        ACK "\n",
        " \t\r\n{ \"id\" :\t\"@\" ,\r\n  \"accepted\" : true }\r\n\r\n ",
        "{\n    \"accepted\": true,\n    \"id\": \"@\"\n}\n",
        "{\"\\u0069d\":\"@\",\"\\u0061ccepted\":true}",
    };

    send_for_each_body(EACH(bodies), NULL, VALUE_1);
}

CHECK(send_http, an_escaped_id_in_the_acknowledgement_is_read_as_json, "send_http.5")
{
    static const char *const bodies[] = {
        "{\"id\":\"\\u0041b_9-z\",\"accepted\":true}",
        "{\"id\":\"Ab\\u005F9\\u002d\\u007a\",\"accepted\":true}",
    };

    send_for_each_body(EACH(bodies), "Ab_9-z", VALUE_1);
}

CHECK(send_http, every_valid_id_can_be_acknowledged, "send_http.5")
{
    static const char *const bodies[] = { ACK };

    send_for_each_body(EACH(bodies), "a", VALUE_1);
    send_for_each_body(EACH(bodies), "-", VALUE_1);
    send_for_each_body(EACH(bodies), "7", VALUE_1);
    send_for_each_body(EACH(bodies),
                       "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-", VALUE_1);
}

CHECK(send_http, an_acknowledgement_is_believed_however_it_is_framed, "send_http.5")
{
    static const struct response answers[] = {
        { .framing = FRAMING_LENGTH },
        { .framing = FRAMING_CHUNKED },
        { .framing = FRAMING_CHUNKED, .chunk_bytes = 1 },
        { .framing = FRAMING_CHUNKED, .chunk_bytes = 5 },
        { .framing = FRAMING_CLOSE },
        { .framing = FRAMING_LENGTH, .ending = ENDING_CLOSE },
        { .framing = FRAMING_LENGTH, .piece_bytes = 1 },
        { .framing = FRAMING_CLOSE, .piece_bytes = 3 },
        { .framing = FRAMING_CHUNKED, .chunk_bytes = 7, .piece_bytes = 2 },
    };

    send_for_each(EACH(answers), VALUE_1);
}

CHECK(send_http, an_acknowledgement_that_comes_in_pieces_is_put_together, "send_http.5")
{
    static const struct response answers[] = {
        { .piece_bytes = 9, .piece_gap_ms = 30 },
        { .piece_bytes = 20, .piece_gap_ms = 50, .framing = FRAMING_CHUNKED, .chunk_bytes = 5 },
        { .piece_bytes = 15, .piece_gap_ms = 50, .framing = FRAMING_CLOSE },
        { .body = "   {\"id\":\"@\","
                  "\"accepted\":true}",
          .piece_bytes = 3,
          .piece_gap_ms = 10 },
    };

    send_for_each(EACH(answers), VALUE_1);
}

CHECK(send_http, the_media_type_of_the_answer_does_not_matter, "send_http.5")
{
    static const struct response answers[] = {
        { .headers = "Content-Type: text/html\r\n" },
        { .headers = "Content-Type: application/octet-stream\r\n" },
        { .headers = "Content-Type: application/json; charset=utf-8\r\n" },
        { .headers = "content-type:\r\n" },
        { .headers = "X-Reason: accepted\r\nServer: snacks/1\r\n" },
    };

    send_for_each(EACH(answers), VALUE_1);
}

CHECK(send_http, the_words_of_the_status_line_do_not_matter, "send_http.5")
{
    static const struct response answers[] = {
        { .reason = "Not Really" },
        { .reason = "" },
        { .reason = "500 Internal Server Error" },
        { .raw = "HTTP/1.0 200 OK\r\n\r\n" ACK, .ending = ENDING_CLOSE },
    };

    send_for_each(EACH(answers), VALUE_1);
}

CHECK(send_http, a_body_of_1024_bytes_is_believed, "send_http.5")
{
    static const struct response answers[] = {
        { .pad_bytes = 1024 },
        { .pad_bytes = 1024, .framing = FRAMING_CHUNKED },
        { .pad_bytes = 1024, .framing = FRAMING_CHUNKED, .chunk_bytes = 100 },
        { .pad_bytes = 1024, .framing = FRAMING_CLOSE },
        { .pad_bytes = 1024, .piece_bytes = 500 },
        { .pad_bytes = 1023 },
        { .pad_bytes = 1000, .framing = FRAMING_CHUNKED, .chunk_bytes = 1 },
    };

    send_for_each(EACH(answers), VALUE_1);
}

CHECK(send_http, an_object_with_other_members_is_not_believed, "send_http.5")
{
    static const char *const bodies[] = {
        "{}",
        "{\"id\":\"@\"}",
        "{\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":true,\"qty\":1}",
        "{\"x\":null,\"id\":\"@\",\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":true,\"\":0}",
        "{\"id\":\"@\",\"id\":\"@\",\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":true,\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":false,\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":true,\"accepted\":false}",
        "{\"id\":\"@\",\"id\":\"@\"}",
        "{\"accepted\":true,\"accepted\":true}",
        "{\"ID\":\"@\",\"accepted\":true}",
        "{\"id\":\"@\",\"Accepted\":true}",
        "{\"Id\":\"@\",\"ACCEPTED\":true}",
        "{\"id \":\"@\",\"accepted\":true}",
        "{\"id\":\"@\",\"accept\":true}",
        "{\"id\":\"@\",\"accepted_\":true}",
        "{\"ack\":{\"id\":\"@\",\"accepted\":true}}",
        "{\"id\":\"@\",\"ok\":true}",
    };

    send_for_each_body(EACH(bodies), NULL, DELIVERY);
}

CHECK(send_http, accepted_is_believed_only_where_it_is_true, "send_http.5")
{
    static const char *const bodies[] = {
        "{\"id\":\"@\",\"accepted\":false}", "{\"id\":\"@\",\"accepted\":1}",
        "{\"id\":\"@\",\"accepted\":0}",     "{\"id\":\"@\",\"accepted\":\"true\"}",
        "{\"id\":\"@\",\"accepted\":null}",  "{\"id\":\"@\",\"accepted\":[true]}",
        "{\"id\":\"@\",\"accepted\":[]}",    "{\"id\":\"@\",\"accepted\":{}}",
        "{\"id\":\"@\",\"accepted\":\"@\"}", "{\"id\":\"@\",\"accepted\":\"\"}",
        "{\"id\":true,\"accepted\":\"@\"}",  "{\"id\":\"@\",\"accepted\":1.0}",
    };

    send_for_each_body(EACH(bodies), NULL, DELIVERY);
}

CHECK(send_http, an_acknowledgement_of_another_id_is_not_believed, "send_http.5")
{
    static const char *const bodies[] = {
        "{\"id\":\"Order-7\",\"accepted\":true}",      "{\"id\":\"Order-77\",\"accepted\":true}",
        "{\"id\":\"Order-778x\",\"accepted\":true}",   "{\"id\":\"order-778\",\"accepted\":true}",
        "{\"id\":\"ORDER-778\",\"accepted\":true}",    "{\"id\":\" Order-778\",\"accepted\":true}",
        "{\"id\":\"Order-778 \",\"accepted\":true}",   "{\"id\":\"rder-778\",\"accepted\":true}",
        "{\"id\":\"xOrder-778\",\"accepted\":true}",   "{\"id\":\"Order-779\",\"accepted\":true}",
        "{\"id\":\"Order_778\",\"accepted\":true}",    "{\"id\":\"\",\"accepted\":true}",
        "{\"id\":\"Order-778\\n\",\"accepted\":true}",
    };

    send_for_each_body(EACH(bodies), "Order-778", DELIVERY);
}

CHECK(send_http, an_id_that_differs_in_the_last_of_64_characters_is_not_believed, "send_http.5")
{
    static const char *const bodies[] = {
        "{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaB\",\"accepted\":"
        "true}",
        "{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\"accepted\":"
        "true}",
        "{\"id\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
        "\"accepted\":true}",
    };

    send_for_each_body(
        EACH(bodies), "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", DELIVERY);
}

CHECK(send_http, an_id_that_is_no_string_is_not_believed, "send_http.5")
{
    static const char *const bodies[] = {
        "{\"id\":5,\"accepted\":true}",       "{\"id\":5.0,\"accepted\":true}",
        "{\"id\":null,\"accepted\":true}",    "{\"id\":true,\"accepted\":true}",
        "{\"id\":[\"5\"],\"accepted\":true}", "{\"id\":{\"5\":5},\"accepted\":true}",
        "{\"id\":{},\"accepted\":true}",      "{\"id\":[],\"accepted\":true}",
        "{\"id\":false,\"accepted\":true}",   "{\"id\":{\"id\":\"5\"},\"accepted\":true}",
    };

    send_for_each_body(EACH(bodies), "5", DELIVERY);
}

CHECK(send_http, a_body_that_is_no_single_object_is_not_believed, "send_http.5")
{
    static const char *const bodies[] = {
        "",
        " ",
        "@",
        "ok",
        "true",
        "null",
        "1",
        "\"@\"",
        "[]",
        "[" ACK "]",
        ACK ACK,
        ACK " " ACK,
        ACK "\n{}",
        ACK ",",
        ACK ";",
        ACK "}",
        ACK "x",
        ACK " trailing",
        "x" ACK,
        ACK "\xc2\xa0",
        "(" ACK ")",
        "//\n" ACK,
        "{" ACK "}",
        ACK " //",
        "\"{\\\"id\\\":\\\"@\\\",\\\"accepted\\\":true}\"",
        "[\"id\",\"@\",\"accepted\",true]",
        "id=@&accepted=true",
        "<id>@</id><accepted>true</accepted>",
    };

    send_for_each_body(EACH(bodies), NULL, DELIVERY);
}

CHECK(send_http, a_body_that_is_no_json_is_not_believed, "send_http.5")
{
    static const char *const bodies[] = {
        "{\"id\":\"@\",\"accepted\":true",
        "{\"id\":\"@\",\"accepted\":tru",
        "{\"id\":\"@\",\"accepted\":",
        "{\"id\":\"@\",",
        "{\"id\":\"@",
        "{",
        "{'id':'@','accepted':true}",
        "{id:\"@\",accepted:true}",
        "{\"id\":\"@\",\"accepted\":true,}",
        "{\"id\":\"@\" \"accepted\":true}",
        "{\"id\":\"@\",,\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":TRUE}",
        "{\"id\":\"@\",\"accepted\":True}",
        "{\"id\":\"@\",\"accepted\":truely}",
        "{\"id\"=\"@\",\"accepted\"=true}",
        "\"id\":\"@\",\"accepted\":true",
        "{\"id\":@,\"accepted\":true}",
        "{\"id\":\"@\",\"accepted\":yes}",
    };

    send_for_each_body(EACH(bodies), NULL, DELIVERY);
}
